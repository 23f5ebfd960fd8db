// MongoDB has no SKIP LOCKED: by itself, a write waits for a document that another transaction has written. Here it waits
// for a moment, which is enough for everybody but a transaction held open; if one is, the write goes on in
// transactions of its own, which fail at once on a locked document, and halves the batch until the locked ones are alone.
import type { Database } from "./database.ts";
import { isTimeExpired } from "./driver-errors.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import { outside, type Scope, type WriteOptions } from "./store.ts";

// Longer than a commit takes, shorter than anybody notices.
const lockWaitMs = 50;

/**
 * Writes what is not locked. The write may be tried several times, each time with some of the items, and must leave
 * alone what it has written already.
 */
export const skipLocked = async <T>(
  db: Database,
  items: readonly T[],
  write: (scope: Scope, items: readonly T[], options: WriteOptions) => Promise<unknown>,
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
  write: (scope: Scope, items: readonly T[], options: WriteOptions) => Promise<unknown>,
): Promise<void> => {
  try {
    // Its commit is acknowledged by a majority, and with it whatever the first try had written.
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
