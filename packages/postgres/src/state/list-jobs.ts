import { toArrayLiteral } from "../database.ts";
import { jobSelection, toStateJob } from "../job-row.ts";
import { pageQuery } from "../page-query.ts";
import { listName } from "../list-name.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const listJobs =
  (db: PgDatabase): PgState["listJobs"] =>
  async ({ context, order, limit, afterOrdinal, ...filter }) => {
    const { typeNames, statuses, sequenceId, rootSequenceId, createdFrom, createdTo } = filter;
    const { schema } = db.names;
    const texts = (values: readonly string[] | null): string | null =>
      values === null ? null : toArrayLiteral(values);
    const sequence = sequenceId === null ? null : db.id(sequenceId);
    const root = rootSequenceId === null ? null : db.id(rootSequenceId);
    // What cannot be an id is no job's.
    if ((sequenceId !== null && !sequence) || (rootSequenceId !== null && !root)) return [];
    const { sql, params } = pageQuery(db.names, {
      from: `SELECT ${jobSelection("j")} FROM ${schema}.job j`,
      alias: "j",
      order,
      limit,
      afterOrdinal,
      conditions: [
        { sql: "j.type_name = ANY(?)", type: "text[]", value: texts(typeNames) },
        { sql: "j.status = ANY(?)", type: "text[]", value: texts(statuses) },
        // Spelled so that each half has its index: the first job by id, the others by theirs.
        {
          sql: `j.id IN (SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s ON s.id = a.id AND s.position = 0
            UNION ALL SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s ON s.sequence_id = a.id AND s.position > 0)`,
          type: "id",
          value: sequence,
        },
        {
          sql: `j.id IN (WITH tree AS MATERIALIZED (
              SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s ON s.id = a.id AND s.id = s.root_sequence_id
              UNION ALL SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s
                ON s.root_sequence_id = a.id AND s.position = 0 AND s.id <> s.root_sequence_id)
            SELECT t.id FROM tree t
            UNION ALL SELECT c.id FROM tree t JOIN ${schema}.job c ON c.sequence_id = t.id AND c.position > 0)`,
          type: "id",
          value: root,
        },
        {
          sql: "j.created_at >= ?",
          type: "timestamptz",
          value: createdFrom?.toISOString() ?? null,
        },
        { sql: "j.created_at < ?", type: "timestamptz", value: createdTo?.toISOString() ?? null },
      ],
    });
    const rows = await db.statement(listName("list_jobs", sql), sql)(params, context);
    return rows.map(toStateJob);
  };
