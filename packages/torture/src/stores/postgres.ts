import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider, type PgTxContext } from "@queuert/postgres/pg";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";
import { postgresMaintenance } from "./postgres-maintenance.ts";
import type { Store } from "./store.ts";

const open: Store["open"] = async (url, connectionsMax, answerTimeoutMs = 4_000) => {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  const stateProvider = createPgPoolStateProvider(pool);
  const adapter = await createPgStateAdapter({ stateProvider });
  return {
    // Of its contexts nothing is used here but by `writeRow`.
    state: adapter as unknown as AnyStateAdapter,
    migrate: async () => void (await adapter.migrateToLatest()),
    writeRow: async (context, { jobId, leaseVersion, path }) => {
      const { client } = context as PgTxContext;
      await client.query("INSERT INTO user_row VALUES ($1, $2, $3)", [jobId, leaseVersion, path]);
    },
    exhaust: async (ms) => {
      const hold = async (): Promise<void> => {
        const client = await pool.connect();
        await sleep(ms);
        client.release();
      };
      await Promise.all(Array.from({ length: connectionsMax }, hold));
    },
    measure: async () => {
      const { rows } = await pool.query<{ readonly bytes: string; readonly dead: string }>(
        `SELECT coalesce(sum(pg_total_relation_size(relid)), 0) AS bytes,
           coalesce(sum(n_dead_tup), 0) AS dead FROM pg_stat_user_tables`,
      );
      return { storedBytes: Number(rows[0]?.bytes), deadRows: Number(rows[0]?.dead) };
    },
    readRows: async () => {
      const { rows } = await pool.query<UserRow>(
        'SELECT job_id AS "jobId", lease_version AS "leaseVersion", path FROM user_row',
      );
      return rows;
    },
    listConnected: async (processes) => {
      const { rows } = await pool.query<{ readonly name: string }>(
        "SELECT application_name AS name FROM pg_stat_activity WHERE application_name = ANY($1)",
        [processes.map(({ name }) => name)],
      );
      return rows.map(({ name }) => name);
    },
    close: () => pool.end(),
  };
};

const prepare = async (url: string): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const stateProvider = createPgPoolStateProvider(pool);
    await (await createPgStateAdapter({ stateProvider })).migrateToLatest();
    // No key: a row that is written twice is counted twice.
    await pool.query(
      "CREATE TABLE user_row (job_id text NOT NULL, lease_version integer NOT NULL, path text NOT NULL)",
    );
  } finally {
    await pool.end();
  }
};

export const store: Store = { prepare, open, maintenance: postgresMaintenance };
