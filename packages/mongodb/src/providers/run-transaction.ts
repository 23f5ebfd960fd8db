// A transaction by hand. The driver's `withTransaction` may run its callback several times. A callback here
// is the user's: it runs once, and if its transaction is aborted, a typed error says so.
import { setTimeout as sleep } from "node:timers/promises";
import { isCommitUnknown, isTimeExpired, toTransactionError } from "../driver-errors.ts";
import { withDriverTimeout } from "../driver-timeout.ts";
import { MongoCommitUnknownError } from "../errors.ts";
import type { MongoSession } from "../state-provider.ts";

/** A session of the driver that can hold a transaction. */
export interface TransactionSession extends MongoSession {
  startTransaction(options?: object): void;
  commitTransaction(options?: object): Promise<unknown>;
  abortTransaction(options?: object): Promise<unknown>;
  endSession(): Promise<void>;
}

/** The options of `runMongoTransaction`. */
export interface RunMongoTransactionOptions {
  /** For how long a commit without a reply is sent again. Default: 30000. */
  readonly commitTimeoutMs?: number | undefined;
}

// Longer than a failover takes.
const defaultCommitTimeoutMs = 30_000;
const commitRetryMs = 50;
// After it the commit is sent again. The server accepts it twice.
const commitReplyTimeoutMs = 10_000;

// Snapshot: all reads of a transaction agree. Majority: its reads and its writes survive a failover.
const transactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority" },
  readPreference: "primary",
} as const;

/**
 * Runs the callback once in a transaction of its own session; resolves when the commit is acknowledged.
 *
 * @example
 * ```ts
 * const client = new MongoClient("mongodb://localhost:27017/app?replicaSet=rs0");
 * await runMongoTransaction(
 *   () => client.startSession(),
 *   async (session) => client.db().collection("users").insertOne({ name: "Ada" }, { session }),
 * );
 * ```
 */
export const runMongoTransaction = async <TSession extends TransactionSession, T>(
  startSession: () => TSession,
  callback: (session: TSession) => Promise<T>,
  { commitTimeoutMs = defaultCommitTimeoutMs }: RunMongoTransactionOptions = {},
): Promise<T> => {
  const session = startSession();
  try {
    session.startTransaction(transactionOptions);
    let result: T;
    try {
      result = await callback(session);
    } catch (error) {
      await abort(session);
      throw error;
    }
    await commit(session, commitTimeoutMs);
    return result;
  } finally {
    await session.endSession();
  }
};

const abort = async (session: TransactionSession): Promise<void> => {
  try {
    if (!session.inTransaction()) return;
    await withDriverTimeout(commitReplyTimeoutMs, () => session.abortTransaction());
  } catch {
    // The callback's error is the one to report. The server drops a transaction that is not committed.
  }
};

// Committing twice is safe: the server knows the transaction by its number, and returns its outcome.
const commit = async (session: TransactionSession, timeoutMs: number): Promise<void> => {
  const startedAt = performance.now();
  for (let delayMs = commitRetryMs; ; delayMs = Math.min(delayMs * 2, 1_000)) {
    try {
      const replyTimeoutMs = Math.min(commitReplyTimeoutMs, timeoutMs);
      await withDriverTimeout(replyTimeoutMs, () => session.commitTransaction());
      return;
    } catch (error) {
      if (isMisuse(error) || !isCommitUnknown(error)) throw toTransactionError(error);
      const waitedMs = Math.round(performance.now() - startedAt);
      if (isTimeExpired(error) || waitedMs + delayMs > timeoutMs) {
        throw new MongoCommitUnknownError(waitedMs, { cause: error });
      }
      await sleep(delayMs);
    }
  }
};

// The callback has ended its transaction by itself: there is nothing to commit.
const isMisuse = (error: unknown): boolean =>
  error instanceof Error && error.name === "MongoTransactionError";
