// Sources in the PostgreSQL database of the store. A batch is locked, stored and removed in one transaction: at any time a job is
// in one of the two libraries.
import type { ImportedJob, ImportSource, OpenSource } from "./source.ts";
import { assertStore } from "./source.ts";

type Row = Readonly<Record<string, unknown>>;

interface SourceSql {
  readonly label: string;
  readonly schemaDefault: string;
  /** Waiting jobs as `name`, `count`. `{schema}` is filled in. */
  readonly count: string;
  /** Locks waiting jobs of the names `$1` after the id `$2`, at most `$3`, by id. */
  readonly take: string;
  /** Removes the ids `$1`. */
  readonly remove: string;
  readonly toJob: (row: Row) => ImportedJob;
}

export const postgresSource =
  (sql: SourceSql): OpenSource =>
  async (options) => {
    assertStore(options, "postgres", sql.label);
    const schema = quoted(options.place ?? sql.schemaDefault);
    const fill = (text: string): string => text.replaceAll("{schema}", schema);
    const client = await options.access.client();
    const source: ImportSource = {
      count: () =>
        client.transaction(async (context) => {
          const rows = await query(context, fill(sql.count), []);
          return rows.map((row) => ({ name: String(row["name"]), count: Number(row["count"]) }));
        }),
      move: ({ names, afterId, limit, store }) =>
        client.transaction(async (context) => {
          const rows = await query(context, fill(sql.take), [names, afterId, limit]);
          const ids = await store(rows.map(sql.toJob), context);
          if (ids.length > 0) await query(context, fill(sql.remove), [ids]);
          const last = rows.at(-1);
          return last === undefined ? null : String(last["id"]);
        }),
      close: async () => undefined,
    };
    return source;
  };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

interface PgClient {
  query(sql: string, params: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
}
interface PostgresJsSql {
  unsafe(sql: string, params: readonly unknown[]): Promise<readonly Row[]>;
}

/** A statement in the transaction of the store, by the driver of the project. */
const query = async (
  context: object,
  text: string,
  params: readonly unknown[],
): Promise<readonly Row[]> => {
  const { client, sql } = context as { readonly client?: PgClient; readonly sql?: PostgresJsSql };
  if (client !== undefined) return (await client.query(text, params)).rows;
  if (sql !== undefined) return sql.unsafe(text, params);
  throw new Error("The context of the store has neither a client of pg nor one of postgres.js.");
};

const dateOf = (value: unknown): Date | null => {
  const date = new Date(value as string);
  return date.getTime() > Date.now() ? date : null;
};

const textOf = (value: unknown): string | null =>
  value === null || value === undefined || value === "" ? null : String(value);

/** pg-boss 10 and newer. Its own queues begin with `__pgboss__`. */
export const openPgBoss: OpenSource = postgresSource({
  label: "pg-boss",
  schemaDefault: "pgboss",
  count: `SELECT name, count(*)::int AS count FROM {schema}.job
WHERE state IN ('created', 'retry') AND name NOT LIKE '\\_\\_pgboss\\_\\_%' GROUP BY name ORDER BY name`,
  take: `SELECT id::text AS id, name, data, start_after, priority, singleton_key FROM {schema}.job
WHERE name = ANY($1::text[]) AND state IN ('created', 'retry') AND ($2::uuid IS NULL OR id > $2::uuid)
ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED`,
  remove: `DELETE FROM {schema}.job WHERE id = ANY($1::uuid[])`,
  toJob: (row) => ({
    id: String(row["id"]),
    name: String(row["name"]),
    data: row["data"],
    runAt: dateOf(row["start_after"]),
    priority: Number(row["priority"] ?? 0),
    key: textOf(row["singleton_key"]),
  }),
});

/** graphile-worker 0.16 and newer. Lower priorities run first there. A job of its last attempt has failed. */
export const openGraphileWorker: OpenSource = postgresSource({
  label: "graphile-worker",
  schemaDefault: "graphile_worker",
  count: `SELECT t.identifier AS name, count(*)::int AS count
FROM {schema}._private_jobs j JOIN {schema}._private_tasks t ON t.id = j.task_id
WHERE j.locked_at IS NULL AND j.attempts < j.max_attempts GROUP BY t.identifier ORDER BY t.identifier`,
  take: `SELECT j.id::text AS id, t.identifier AS name, j.payload, j.run_at, j.priority, j.key
FROM {schema}._private_jobs j JOIN {schema}._private_tasks t ON t.id = j.task_id
WHERE t.identifier = ANY($1::text[]) AND j.locked_at IS NULL AND j.attempts < j.max_attempts
  AND ($2::bigint IS NULL OR j.id > $2::bigint)
ORDER BY j.id LIMIT $3 FOR UPDATE OF j SKIP LOCKED`,
  remove: `DELETE FROM {schema}._private_jobs WHERE id = ANY($1::bigint[])`,
  toJob: (row) => ({
    id: String(row["id"]),
    name: String(row["name"]),
    data: row["payload"],
    runAt: dateOf(row["run_at"]),
    priority: -Number(row["priority"]),
    key: textOf(row["key"]),
  }),
});
