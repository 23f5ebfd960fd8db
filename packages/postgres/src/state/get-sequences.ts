import { toSequences } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const getSequences = (db: PgDatabase): PgState["getSequences"] => {
  const get = db.routine("get_sequences", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = toSequences(await get({ ids: db.ids(ids) }, context));
    return ids.map((_, index) => sequences.get(index + 1));
  };
};
