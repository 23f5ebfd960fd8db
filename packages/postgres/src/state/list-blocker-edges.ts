import type { PgDatabase, PgState } from "../database.ts";

export const listBlockerEdges = (db: PgDatabase): PgState["listBlockerEdges"] => {
  const list = db.routine("list_blocker_edges", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await list({ ids: db.ids(ids) }, context);
    return rows.map((row) => ({
      jobId: String(row["job_id"]),
      sequenceId: String(row["sequence_id"]),
      blockerSequenceId: String(row["blocker_sequence_id"]),
      index: Number(row["index"]),
    }));
  };
};
