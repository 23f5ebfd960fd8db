// Locks by writing: a document written in a transaction cannot be written by another until it ends. From a snapshot that
// is older than the last write there is no way to what is current, so then the server aborts the transaction.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { findSequences, toStateSequence } from "../sequences.ts";
import { createToken } from "../token.ts";

export const createLockSequences =
  (db: Database): StateAdapter<object, object, string>["lockSequences"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return db.transact(context, async (scope) => {
      const sequences = await findSequences(db, scope, ids);
      const currentIds = [...sequences.values()].map(({ current }) => current._id).sort();
      if (currentIds.length > 0) {
        const locked = { $set: { lockToken: createToken() } };
        await db.jobs.updateMany(scope, { _id: { $in: currentIds } }, locked);
      }
      return ids.map((id) => {
        const sequence = sequences.get(id);
        return sequence && toStateSequence(sequence);
      });
    });
  };
