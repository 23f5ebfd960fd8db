import type { Database, InProcessOperatorMethod } from "../database.ts";
import { edgesOf } from "../views.ts";

export const listDependants =
  (database: Database): InProcessOperatorMethod<"listDependants"> =>
  async ({ sequenceId, afterId, limit }) =>
    database.read(undefined, "listDependants", (store) =>
      [...(store.byId.get(sequenceId)?.dependants ?? [])]
        .filter(
          (stored) =>
            (afterId === null || stored.id > afterId) &&
            edgesOf(stored, "committed").some((edge) => edge.blockerSequenceId === sequenceId),
        )
        .map(({ id }) => id)
        .sort()
        .slice(0, limit),
    );
