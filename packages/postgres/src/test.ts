// `@queuert/postgres/test`: time travel for the tests of an application, on its own store.
import { assertNotInProduction, InvalidOptionError, type TimeTravel } from "queuert/internal";
import { type AdapterStore, storeOf } from "./adapter-store.ts";
import { migrations } from "./migrations/index.ts";
import { quoteIdentifier } from "./store-names.ts";

/**
 * For the option `timeTravel` of `createTestQueuert`: moves every instant that the store holds. Never on a store that an
 * application uses.
 *
 * @example
 * ```ts
 * const test = await createTestQueuert({
 *   jobTypeDefinitions: jobTypes,
 *   stateAdapter,
 *   timeTravel: createPgTimeTravel(stateAdapter),
 * });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createPgTimeTravel = (stateAdapter: object): TimeTravel => {
  assertNotInProduction("createPgTimeTravel");
  const store = storeOf(stateAdapter);
  if (store === undefined) {
    const remedy = "give the adapter that `createPgStateAdapter` returned, not a copy";
    throw new InvalidOptionError("stateAdapter", stateAdapter, remedy);
  }
  let columns: Promise<readonly TableColumns[]> | undefined;
  return {
    shiftTimes: async (ms) => {
      const found = await (columns ??= readColumns(store));
      await shiftTimes(store, found, ms);
      store.forget();
    },
  };
};

interface TableColumns {
  /** Quoted, with its schema. */
  readonly table: string;
  readonly columns: readonly string[];
  /** A unique index has one of them. */
  readonly isKey: boolean;
}

// The tables of the library, by its migrations: its schema may also have tables of the application.
const tableNames = migrations.flatMap(({ sql }) =>
  sql.flatMap((statement) => /^CREATE TABLE \{schema\}\.(\w+)/.exec(statement)?.[1] ?? []),
);

const columnsSql = `
SELECT c.relname AS table_name, a.attname AS column_name, EXISTS (
  SELECT FROM pg_catalog.pg_index i
  WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey)
)::pg_catalog.text AS is_key
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1::pg_catalog.text)
  AND c.relname = ANY (pg_catalog.string_to_array($2::pg_catalog.text, ','))
  AND (a.atttypid = 'pg_catalog.timestamptz'::pg_catalog.regtype OR a.attname LIKE '%\\_at\\_us')
ORDER BY 1, 2`;

const readColumns = async ({ provider, names }: AdapterStore): Promise<readonly TableColumns[]> => {
  const params = [names.schemaName, tableNames.join()];
  const rows = await provider.executeSql({ sql: columnsSql, params }, undefined);
  const tables = new Set(rows.map((row) => String(row["table_name"])));
  return [...tables].map((table) => {
    const own = rows.filter((row) => row["table_name"] === table);
    return {
      table: `${names.schema}.${table}`,
      columns: own.map((row) => quoteIdentifier(String(row["column_name"]), "column")),
      isKey: own.some((row) => row["is_key"] === "true"),
    };
  });
};

/** Further than any instant: on the way, no moved row meets one that is still to move. */
const asideMs = 2_000 * 365 * 86_400_000;

/** A count of microseconds, or a point in time. */
const shiftOf = (column: string): string =>
  column.endsWith('_us"')
    ? "($1::text::float8 * 1000)::bigint"
    : "$1::text::float8 * interval '1 millisecond'";

const shiftTimes = ({ provider }: AdapterStore, found: readonly TableColumns[], ms: number) =>
  provider.runInTransaction(async (context) => {
    const run = (sql: string, ...params: readonly string[]) =>
      provider.executeSql({ sql, params, isWrite: true }, context);
    await run("SET LOCAL search_path TO pg_catalog, pg_temp");
    for (const { table, columns, isKey } of found) {
      const moves = columns.map((column) => `${column} = ${column} - ${shiftOf(column)}`);
      const sql = `UPDATE ${table} SET ${moves.join(", ")}`;
      if (isKey) await run(sql, String(asideMs));
      await run(sql, String(isKey ? ms - asideMs : ms));
    }
  });
