import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { findSequences, toStateSequence } from "../sequences.ts";

export const createGetBlockers =
  (db: Database): StateAdapter<object, object, string>["getBlockers"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const scope = db.scopeOf(context);
    const found = await db.jobs.find(
      scope,
      { _id: { $in: ids }, blockers: { $exists: true } },
      { projection: { blockers: 1 } },
    );
    const lists = new Map(found.map(({ _id, blockers = [] }) => [_id, blockers]));
    const sequences = await findSequences(db, scope, [...lists.values()].flat());
    return ids.map((id) =>
      (lists.get(id) ?? []).flatMap((sequenceId) => {
        const sequence = sequences.get(sequenceId);
        return sequence === undefined ? [] : [toStateSequence(sequence)];
      }),
    );
  };
