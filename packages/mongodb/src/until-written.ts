// Waiting for documents that other transactions have written. A write by itself waits inside of the server: it tries again and
// again, and has one of the server's tickets for writing all the while. A small server has five of them; with as many waiters
// nobody else gets on, not even those who are waited for. In a transaction the same write fails at once, so it is tried in
// one of its own, and the waiting is done here.
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database.ts";
import { MongoCommitUnknownError, MongoTransactionAbortedError } from "./errors.ts";
import type { Scope } from "./store.ts";

const delayMsMax = 25;

/** Tries until it is written; after the deadline, as a transaction that has met a conflict. The write may be repeated. */
export const untilWritten = async (
  db: Database,
  deadline: number,
  write: (scope: Scope) => Promise<unknown>,
): Promise<void> => {
  for (let delayMs = 2; ; delayMs = Math.min(delayMs * 2, delayMsMax)) {
    try {
      await db.tryTransaction(write);
      return;
    } catch (error) {
      if (!isWorthAnotherTry(error)) throw error;
    }
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) throw new MongoTransactionAbortedError("write_conflict");
    await sleep(Math.min(remainingMs, delayMs * (0.5 + Math.random())));
  }
};

const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof MongoCommitUnknownError ||
  (error instanceof MongoTransactionAbortedError && error.reason === "write_conflict");
