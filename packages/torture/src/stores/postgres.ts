import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider, type PgTxContext } from "@queuert/postgres/pg";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";
import type { OpenStore, Store } from "./store.ts";

/** Long enough for a loaded server, and short enough for a half-open connection not to last the whole run. */
const answerTimeoutMs = 4_000;

const open = async (url: string, connectionsMax: number): Promise<OpenStore> => {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  const stateProvider = createPgPoolStateProvider(pool);
  return {
    // Of its contexts nothing is used here but by `writeRow`.
    state: (await createPgStateAdapter({ stateProvider })) as unknown as AnyStateAdapter,
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

export const store: Store = { prepare, open };
