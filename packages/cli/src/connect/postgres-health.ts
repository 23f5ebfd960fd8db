// Facts of the server that slow a queue down, or stop it. Each is one statement on the views of statistics.
import type { PgRow, PgStateProvider } from "@queuert/postgres";
import { formatDuration } from "../output/durations.ts";
import type { SchemaFinding } from "./store.ts";

type Query = (sql: string, params: readonly string[]) => Promise<readonly PgRow[]>;

/** Findings of the server. `longMs`: a transaction that is open for longer is one. */
export const postgresHealth = async (
  provider: PgStateProvider<object, object>,
  schema: string,
  longMs: number,
): Promise<readonly SchemaFinding[]> => {
  const query: Query = (sql, params) => provider.executeSql({ sql, params }, undefined);
  const checks = [
    longTransactions(query, longMs),
    preparedTransactions(query, longMs),
    idleSlots(query),
    invalidIndexes(query, schema),
  ];
  return (await Promise.all(checks)).flat();
};

const agesMs = "(extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint::text";

/** Rows that an open transaction may still see are kept, and each acquisition steps over them. */
const longTransactions = async (query: Query, longMs: number): Promise<SchemaFinding[]> => {
  const rows = await query(
    `SELECT pid::text AS pid, application_name AS application, state, ${agesMs} AS age_ms
FROM pg_catalog.pg_stat_activity
WHERE xact_start < clock_timestamp() - $1::float8 * interval '1 millisecond'
  AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND datname = current_database()
ORDER BY xact_start LIMIT 5`,
    [String(longMs)],
  );
  return rows.map((row) => ({
    level: "warn",
    text:
      `a transaction of "${String(row["application"])}" (pid ${String(row["pid"])}, ${String(row["state"])}) has been ` +
      `open for ${formatDuration(Number(row["age_ms"]))}: dead rows are kept, and acquisitions slow down`,
  }));
};

const preparedTransactions = async (query: Query, longMs: number): Promise<SchemaFinding[]> => {
  const rows = await query(
    `SELECT gid FROM pg_catalog.pg_prepared_xacts
WHERE prepared < clock_timestamp() - $1::float8 * interval '1 millisecond' LIMIT 5`,
    [String(longMs)],
  );
  return rows.map((row) => ({
    level: "warn",
    text: `the prepared transaction "${String(row["gid"])}" is neither committed nor rolled back: it keeps dead rows`,
  }));
};

const idleSlots = async (query: Query): Promise<SchemaFinding[]> => {
  const rows = await query(
    `SELECT slot_name FROM pg_catalog.pg_replication_slots
WHERE NOT active AND (xmin IS NOT NULL OR catalog_xmin IS NOT NULL) LIMIT 5`,
    [],
  );
  return rows.map((row) => ({
    level: "warn",
    text: `the replication slot "${String(row["slot_name"])}" has no reader: it keeps dead rows and files`,
  }));
};

/** Left behind by a build that failed. Writes maintain such an index, and no query uses it. */
const invalidIndexes = async (query: Query, schema: string): Promise<SchemaFinding[]> => {
  const rows = await query(
    `SELECT indexrelid::regclass::text AS name FROM pg_catalog.pg_index
JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = $1::text AND NOT indisvalid`,
    [schema],
  );
  return rows.map((row) => ({
    level: "fail",
    text: `the index ${String(row["name"])} is invalid: drop it, and build it again`,
  }));
};
