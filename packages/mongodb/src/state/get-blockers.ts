import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateSequence } from "../sequences.ts";

export const getBlockers =
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
    const sequences = await db.sequences.find(scope, [...lists.values()].flat());
    return ids.map((id) =>
      (lists.get(id) ?? []).flatMap((sequenceId) => {
        const sequence = sequences.get(sequenceId);
        return sequence === undefined ? [] : [toStateSequence(sequence)];
      }),
    );
  };
