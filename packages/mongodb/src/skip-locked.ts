// MongoDB has no SKIP LOCKED: outside transactions, a write waits for a document that another transaction
// has written. Here it waits for a moment, which is enough for all but a transaction that is held open.
// After that the write goes on in transactions of its own, which fail at once on a locked document. It
// halves the batch until the locked documents are alone.
import type { Database } from "./database.ts";
import { isTimeExpired } from "./driver-errors.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import { outside, type Scope, type WriteOptions } from "./store.ts";

// Longer than a commit takes, and too short to be noticed.
const lockWaitMs = 50;

type Write<T> = (scope: Scope, items: readonly T[], options: WriteOptions) => Promise<unknown>;

/**
 * Writes the documents that are not locked. The write may run several times, each time with some of the
 * items, and must leave alone the documents that it has written already.
 */
export const skipLocked = async <T>(
  db: Database,
  items: readonly T[],
  write: Write<T>,
): Promise<void> => {
  try {
    await write(outside, items, { maxTimeMS: lockWaitMs });
  } catch (error) {
    if (!isTimeExpired(error)) throw error;
    await writeHalves(db, items, write);
  }
};

const writeHalves = async <T>(
  db: Database,
  items: readonly T[],
  write: Write<T>,
): Promise<void> => {
  try {
    // A majority acknowledges this commit, and with it all writes of the first attempt.
    await db.tryTransaction((scope) => write(scope, items, {}));
  } catch (error) {
    if (!(error instanceof MongoTransactionAbortedError)) throw error;
    if (error.reason !== "write_conflict") throw error;
    if (items.length === 1) return;
    const middle = Math.ceil(items.length / 2);
    await writeHalves(db, items.slice(0, middle), write);
    await writeHalves(db, items.slice(middle), write);
  }
};
