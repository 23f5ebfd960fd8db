// Many jobs as one statement of two INSERTs, with the usual options or all of them. By 1,000, a job costs the server 5.6 µs
// (`bench/server-cpu.ts`).
import { argument } from "./database.ts";
import type { PgRow } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

/** A list of values, one for each job. */
interface Argument {
  readonly name: string;
  readonly type: string;
}

// One moment for all jobs of a statement. The statement waits for no lock, so the moment is close.
const now = "pg_catalog.statement_timestamp()";

// Qualified, since this statement runs with the path of the session.
const toUs = (instant: string): string =>
  `(pg_catalog.date_part('epoch', ${instant}) OPERATOR(pg_catalog.*) 1000000)::bigint`;

const usualValues: Readonly<Record<string, string>> = {
  id: "u.id",
  type_name: "u.type_name",
  sequence_id: "u.id",
  sequence_type_name: "u.type_name",
  sequence_created_at: now,
  root_sequence_id: "coalesce(u.root_sequence_id, u.id)",
  origin_id: "u.origin_id",
  position: "0",
  status: "'open'",
  input: "u.input",
  priority: "0",
  on_blocker_failure: "'wait'",
  created_at: now,
  scheduled_at: now,
  trace_context: "u.trace_context",
};

const afterSql = "(u.after_ms OPERATOR(pg_catalog.*) interval '1 ms')";

const allValues: Readonly<Record<string, string>> = {
  ...usualValues,
  sequence_id: "coalesce(u.sequence_id, u.id)",
  sequence_type_name: "coalesce(u.sequence_type_name, u.type_name)",
  sequence_created_at: `coalesce(u.sequence_created_at, ${now})`,
  position: "coalesce(u.position, 0)",
  status: "CASE WHEN u.awaits_blockers THEN 'blocked' ELSE 'open' END",
  set_aside: "CASE WHEN u.awaits_blockers THEN 'blocked' END",
  priority: "coalesce(u.priority, 0)",
  on_blocker_failure: "coalesce(u.on_blocker_failure, 'wait')",
  queue: "u.queue",
  start_cost: "u.start_cost",
  scheduled_at: `coalesce(u.at, ${now} OPERATOR(pg_catalog.+) ${afterSql}, ${now})`,
};

const fromSql = (names: StoreNames, sources: readonly Argument[]): string => {
  const given = [{ name: "id", type: "id" }, ...sources];
  const lists = given.map(({ type }, index) => argument(names, index + 1, `${type}[]`));
  const fields = given.map(({ name }) => name);
  // `unnest` of several lists is a word of the grammar, which no schema on the path can redefine.
  const rows = `unnest(${lists.join(", ")}) WITH ORDINALITY AS u (${fields.join(", ")}, element)`;
  return `${rows} ORDER BY u.element`; // Ordinals are assigned in this order.
};

/** The text of the statement. `allOptions`: not only those of most jobs. */
export const insertSql = (
  names: StoreNames,
  sources: readonly Argument[],
  allOptions: boolean,
): string => {
  const values = allOptions ? allValues : usualValues;
  const created =
    `WITH created AS (` +
    `INSERT INTO ${names.schema}.job AS j (${Object.keys(values).join(", ")}) ` +
    `SELECT ${Object.values(values).join(", ")} FROM ${fromSql(names, sources)} ` +
    `RETURNING j.id, ${allOptions ? "coalesce(j.queue, j.type_name) AS type_name" : "j.type_name"}, j.priority, j.scheduled_at, j.ordinal, j.status), ` +
    // The rows that make the jobs pending.
    `made_ready AS (` +
    `INSERT INTO ${names.schema}.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due) ` +
    `SELECT c.id, c.type_name, c.priority, c.scheduled_at, c.ordinal, ` +
    (allOptions
      ? `c.scheduled_at OPERATOR(pg_catalog.<=) ${now} FROM created c ` +
        `WHERE c.status OPERATOR(pg_catalog.=) 'open')`
      : `true FROM created c)`);
  const createdAt = `${toUs(now)} AS created_at_us`;
  const scheduledAtUs = toUs("c.scheduled_at");
  // One row for all jobs, in the order of the insert: a row for each costs both sides half as much
  // again.
  const listOf = (value: string, name: string): string =>
    `pg_catalog.string_agg(${value}::pg_catalog.text, ',') AS ${name}`;
  const ordinals = listOf("c.ordinal", "ordinal");
  const scheduledAt = allOptions ? `, ${listOf(scheduledAtUs, "scheduled_at_us")}` : "";
  return `${created} SELECT ${ordinals}${scheduledAt}, ${createdAt} FROM created c`;
};

/** A row for each job, from the one row that many jobs return. */
export const toRows = ([row]: readonly PgRow[]): readonly PgRow[] => {
  if (row === undefined) return [];
  const created_at_us = Number(row["created_at_us"]);
  const scheduled = row["scheduled_at_us"] === undefined ? null : list(row["scheduled_at_us"]);
  return list(row["ordinal"]).map((ordinal, index) => ({
    ordinal,
    created_at_us,
    scheduled_at_us: scheduled?.[index],
  }));
};

const list = (value: unknown): readonly string[] => String(value).split(",");
