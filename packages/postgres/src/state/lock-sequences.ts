// Locks the current job of each sequence until the transaction ends, for completion without a worker.
import { toSequences } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const lockSequences = (db: PgDatabase): PgState["lockSequences"] => {
  const lock = db.routine("lock_sequences", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = toSequences(await lock({ ids: db.ids(ids) }, context));
    return ids.map((_, index) => sequences.get(index + 1));
  };
};
