// Locks by writing: until a transaction ends, no other can write the documents that it has written. If the
// snapshot is older than the last write of a document, the server aborts the transaction.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createStamp } from "../job-document.ts";
import { toStateSequence } from "../sequences.ts";

export const lockSequences =
  (db: Database): StateAdapter<object, object, string>["lockSequences"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return db.transact(context, async (scope) => {
      const sequences = await db.sequences.find(scope, ids);
      const currentIds = [...sequences.values()].map(({ current }) => current._id).sort();
      if (currentIds.length > 0) {
        const locked = { $set: { lockStamp: createStamp() } };
        await db.jobs.updateMany(scope, { _id: { $in: currentIds } }, locked);
      }
      return ids.map((id) => {
        const sequence = sequences.get(id);
        return sequence && toStateSequence(sequence);
      });
    });
  };
