// A transaction by hand. The driver's `withTransaction` runs its callback again whenever it sees fit, and a callback
// here is the user's: it runs once, and what ends its transaction is said with a typed error.
import { setTimeout as sleep } from "node:timers/promises";
import { answered } from "./answered.ts";
import { isCommitUnknown, isTimeExpired, toTransactionError } from "./driver-errors.ts";
import type { MongoSession } from "./driver.ts";
import { MongoCommitUnknownError } from "./errors.ts";

export interface TransactionSession extends MongoSession {
  startTransaction(options?: object): void;
  commitTransaction(options?: object): Promise<unknown>;
  abortTransaction(options?: object): Promise<unknown>;
  endSession(): Promise<void>;
}

export interface RunMongoTransactionOptions {
  /** For how long a commit without an answer is sent again. */
  readonly commitTimeoutMs?: number | undefined;
}

// What a failover takes, and then some.
const defaultCommitTimeoutMs = 30_000;
const commitRetryMs = 50;
// Then it is sent again. The first may still be answered; the server does not mind.
const answerTimeoutMs = 10_000;

// Snapshot: all reads of a transaction agree. Majority: what was read and what is stored outlives a failover.
const transactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority" },
  readPreference: "primary",
} as const;

/** Runs the callback once in a transaction of its own session; resolves when the commit is acknowledged. */
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
    if (session.inTransaction()) await answered(answerTimeoutMs, () => session.abortTransaction());
  } catch {
    // The callback's error is the one to report, and the server drops a transaction that nobody commits.
  }
};

// Committing twice is safe: the server knows the transaction by its number and answers what became of it.
const commit = async (session: TransactionSession, timeoutMs: number): Promise<void> => {
  const startedAt = performance.now();
  for (let delayMs = commitRetryMs; ; delayMs = Math.min(delayMs * 2, 1_000)) {
    try {
      await answered(Math.min(answerTimeoutMs, timeoutMs), () => session.commitTransaction());
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

// The callback has ended its transaction by itself: there is nothing to ask for.
const isMisuse = (error: unknown): boolean =>
  error instanceof Error && error.name === "MongoTransactionError";
