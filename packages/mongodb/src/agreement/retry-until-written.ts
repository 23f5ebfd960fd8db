// Waiting for documents that other transactions have written.
//
// A write outside a transaction waits inside the server and keeps one of the server's write tickets
// (five on a server with two cores). With as many waiters, all other writes stop, including those of
// the transactions that are waited for. In a transaction the same write fails at once. Each attempt
// therefore is a short transaction, and the time between two attempts is spent in this process.
//
// Waiters of one process share the attempts: 64 starts with one key cost the server one attempt each
// 25 ms, not 64.
import { setTimeout as sleep } from "node:timers/promises";
import { rejectAfter } from "queuert/internal";
import type { Database } from "../database.ts";
import { MongoCommitUnknownError, MongoTransactionAbortedError } from "../errors.ts";
import type { Scope } from "../store.ts";

const delayMsMax = 25;
const patienceMsMax = 5_000;

/** How much longer one transaction waits for others. Only time that is spent waiting is taken off. */
export interface Patience {
  remainingMs: number;
}

/**
 * Most transactions end within milliseconds. Two that wait for each other are a deadlock, which the
 * server does not detect. The one with the shorter patience starts again, and the other goes on.
 */
export const createPatience = (): Patience => ({
  remainingMs: patienceMsMax * (0.4 + 0.6 * Math.random()),
});

interface SharedWrite {
  waiters: number;
  /** Whether an attempt has met another transaction. Before that, the time is the write's own. */
  hasConflicted: boolean;
  readonly written: Promise<void>;
}

const sharedWrites = new WeakMap<Database, Map<string, SharedWrite>>();

/**
 * Resolves when the write is committed. Rejects as a write conflict when the patience is used up.
 * - The write may run several times.
 * - Equal keys name equal writes: a call joins the write that is under way under its key.
 */
export const retryUntilWritten = async (
  db: Database,
  key: string,
  patience: Patience,
  write: (scope: Scope) => Promise<unknown>,
): Promise<void> => {
  const shared = join(db, key, write);
  const tooLong = new MongoTransactionAbortedError("write_conflict");
  try {
    for (;;) {
      const startedAt = performance.now();
      try {
        await rejectAfter(shared.written, Math.max(1, patience.remainingMs), () => tooLong);
        return;
      } catch (error) {
        if (error !== tooLong || shared.hasConflicted) throw error;
      } finally {
        if (shared.hasConflicted) patience.remainingMs -= performance.now() - startedAt;
      }
    }
  } finally {
    shared.waiters--;
  }
};

const join = (
  db: Database,
  key: string,
  write: (scope: Scope) => Promise<unknown>,
): SharedWrite => {
  const writes = sharedWrites.get(db) ?? new Map<string, SharedWrite>();
  sharedWrites.set(db, writes);
  const underWay = writes.get(key);
  if (underWay !== undefined && underWay.waiters > 0) {
    underWay.waiters++;
    return underWay;
  }
  const own: SharedWrite = {
    waiters: 1,
    hasConflicted: false,
    // A turn later: the attempts read the record that is being made here.
    written: Promise.resolve()
      .then(() => attemptWhileWanted(db, own, write))
      .finally(() => {
        if (writes.get(key) === own) writes.delete(key);
      }),
  };
  // Each waiter handles the rejection itself. The last one may have left before it.
  own.written.catch(() => undefined);
  writes.set(key, own);
  return own;
};

const attemptWhileWanted = async (
  db: Database,
  shared: SharedWrite,
  write: (scope: Scope) => Promise<unknown>,
): Promise<void> => {
  for (let delayMs = 2; shared.waiters > 0; delayMs = Math.min(delayMs * 2, delayMsMax)) {
    try {
      await db.tryTransaction(write);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      shared.hasConflicted = true;
    }
    await sleep(delayMs * (0.5 + Math.random()));
  }
};

const isConflict = (error: unknown): boolean =>
  error instanceof MongoCommitUnknownError ||
  (error instanceof MongoTransactionAbortedError && error.reason === "write_conflict");
