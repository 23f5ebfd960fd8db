import { argument } from "../database.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const listBlockerEdges = (db: PgDatabase): PgState["listBlockerEdges"] => {
  const { schema } = db.names;
  const edge = "j.sequence_id, b.job_id, b.blocker_sequence_id, b.index, j.ordinal";
  const list = db.statement(
    "list_blocker_edges",
    `WITH wanted AS MATERIALIZED (
      SELECT DISTINCT u.id FROM unnest(${argument(db.names, 1, "id[]")}) AS u (id)
    ), waiting AS MATERIALIZED (
      SELECT j.id FROM wanted w JOIN ${schema}.job j ON j.id = w.id AND j.position = 0
      UNION ALL
      SELECT j.id FROM wanted w JOIN ${schema}.job j ON j.sequence_id = w.id AND j.position > 0
    )
    SELECT e.* FROM (
      SELECT ${edge} FROM waiting w
      JOIN ${schema}.job_blocker b ON b.job_id = w.id JOIN ${schema}.job j ON j.id = b.job_id
      UNION
      SELECT ${edge} FROM wanted w
      JOIN ${schema}.job_blocker b ON b.blocker_sequence_id = w.id
      JOIN ${schema}.job j ON j.id = b.job_id
    ) e ORDER BY e.ordinal, e.index`,
  );
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await list([db.ids(ids)], context);
    return rows.map((row) => ({
      jobId: String(row["job_id"]),
      sequenceId: String(row["sequence_id"]),
      blockerSequenceId: String(row["blocker_sequence_id"]),
      index: Number(row["index"]),
    }));
  };
};
