import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import { outside, type UpdateOne } from "../store.ts";
import { toKeyId } from "./key-claims.ts";

/** After sequences have been deleted, and that is committed: removes them from their deduplication keys. */
export const forgetKeys = async (
  { keys }: Database,
  deleted: readonly JobDocument[],
): Promise<void> => {
  const forgotten = new Map<string, string[]>();
  for (const { _id, typeName, deduplicationKey } of deleted) {
    if (deduplicationKey === undefined) continue;
    const keyId = toKeyId(typeName, deduplicationKey);
    forgotten.set(keyId, [...(forgotten.get(keyId) ?? []), _id]);
  }
  if (forgotten.size === 0) return;
  const updates = [...forgotten].sort().map(([_id, sequenceIds]): UpdateOne => ({
    updateOne: {
      filter: { _id },
      update: { $pull: { entries: { sequenceId: { $in: sequenceIds } } } },
    },
  }));
  await keys.bulkUpdate(outside, updates);
  await keys.deleteMany(outside, { _id: { $in: [...forgotten.keys()] }, entries: [] });
};
