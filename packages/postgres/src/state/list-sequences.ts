import { toArrayLiteral } from "../database.ts";
import { jobSelection } from "../job-row.ts";
import { listName } from "../list-name.ts";
import { pageQuery } from "../page-query.ts";
import { currentJob, toSequences } from "../sequence-rows.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const listSequences =
  (db: PgDatabase): PgState["listSequences"] =>
  async ({ context, order, limit, afterOrdinal, ...filter }) => {
    const { typeNames, statuses, rootSequenceId, createdFrom, createdTo } = filter;
    const { schema } = db.names;
    const root = rootSequenceId === null ? null : db.id(rootSequenceId);
    // What cannot be an id is no job's.
    if (rootSequenceId !== null && root === null) return [];
    const current = currentJob(db.names, "f.id");
    const texts = (values: readonly string[] | null): string | null =>
      values === null ? null : toArrayLiteral(values);
    const page = pageQuery(db.names, {
      from: `SELECT f.id, f.ordinal FROM ${schema}.job f${
        statuses === null ? "" : ` LEFT JOIN LATERAL ${current} c ON true`
      }`,
      alias: "f",
      order,
      limit,
      afterOrdinal,
      conditions: [
        { sql: "f.position = ?", type: "integer", value: "0" },
        { sql: "f.type_name = ANY(?)", type: "text[]", value: texts(typeNames) },
        { sql: "coalesce(c.status, f.status) = ANY(?)", type: "text[]", value: texts(statuses) },
        {
          sql: `f.id IN (SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s ON s.id = a.id AND s.id = s.root_sequence_id
            UNION ALL SELECT s.id FROM (SELECT ?) AS a (id) JOIN ${schema}.job s ON s.root_sequence_id = a.id AND s.position = 0 AND s.id <> s.root_sequence_id)`,
          type: "id",
          value: root,
        },
        {
          sql: "f.created_at >= ?",
          type: "timestamptz",
          value: createdFrom?.toISOString() ?? null,
        },
        { sql: "f.created_at < ?", type: "timestamptz", value: createdTo?.toISOString() ?? null },
      ],
    });
    const sql = `WITH page AS MATERIALIZED (${page.sql})
      SELECT 'first' AS role, p.ordinal AS element, ${jobSelection("j")}
      FROM page p JOIN ${schema}.job j ON j.id = p.id
      UNION ALL
      SELECT 'current' AS role, p.ordinal AS element, ${jobSelection("j")}
      FROM page p CROSS JOIN LATERAL ${currentJob(db.names, "p.id")} j`;
    const rows = await db.statement(listName("list_sequences", sql), sql)(page.params, context);
    const direction = order === "asc" ? 1 : -1;
    return [...toSequences(rows)]
      .sort(([a], [b]) => direction * (a - b))
      .map(([, sequence]) => sequence);
  };
