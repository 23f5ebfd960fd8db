import { argument } from "../database.ts";
import { sequenceRows, toSequences } from "../sequence-rows.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const getSequences = (db: PgDatabase): PgState["getSequences"] => {
  const get = db.statement(
    "get_sequences",
    sequenceRows(
      db.names,
      `SELECT u.element, u.id
      FROM unnest(${argument(db.names, 1, "id[]")}) WITH ORDINALITY AS u (id, element)`,
    ),
  );
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = toSequences(await get([db.ids(ids)], context));
    return ids.map((_, index) => sequences.get(index + 1));
  };
};
