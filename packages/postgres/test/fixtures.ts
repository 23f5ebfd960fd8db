import { providedPostgres, providedPostgres18 } from "@queuert/test-services/provided";
import pg from "pg";
import postgres from "postgres";
import type { PgStateProvider } from "../src/index.ts";
import {
  createPgPoolStateProvider,
  type PgContext,
  type PgTxContext,
} from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import type { TestConnection } from "../src/testing.ts";

export type Databases = () => ReturnType<typeof providedPostgres>;

export const servers: readonly (readonly [name: string, databases: Databases])[] = [
  ["PostgreSQL of the system", providedPostgres],
  ["PostgreSQL 18", providedPostgres18],
];

/** One database for all connections of a file, made at the first. */
export const lazyDatabaseUrl = (databases: Databases): (() => Promise<string>) => {
  let url: Promise<string> | undefined;
  return () =>
    (url ??= databases()
      .createDatabase()
      .then((database) => database.url));
};

export const connectPg = async (
  url: string,
  options: pg.PoolConfig = {},
): Promise<TestConnection> => {
  const pool = new pg.Pool({ connectionString: url, max: 40, ...options });
  return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
};

export const connectPostgresJs = async (
  url: string,
  options: postgres.Options<Record<string, postgres.PostgresType>> = {},
): Promise<TestConnection> => {
  // `fetch_types`: a connection cut while the driver asks for types is a rejection without a handler.
  const sql = postgres(url, { max: 40, fetch_types: false, onnotice: () => {}, ...options });
  return { provider: createPostgresJsStateProvider(sql), close: () => sql.end({ timeout: 5 }) };
};

/** Ends every connection to the database but the one that does it. */
export const terminateConnections = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  } finally {
    await client.end();
  }
};

/** Users' transactions at a stricter level than the worker's own. */
export const createPgProviderAtLevel = (
  pool: pg.Pool,
  level: string,
): PgStateProvider<PgTxContext, PgContext> => ({
  ...createPgPoolStateProvider(pool),
  runInTransaction: async (callback) => {
    const client = await pool.connect();
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      const result = await callback({ client });
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    } finally {
      client.release();
    }
  },
});

export const connectPgAtLevel = async (url: string, level: string): Promise<TestConnection> => {
  const pool = new pg.Pool({ connectionString: url, max: 40 });
  return { provider: createPgProviderAtLevel(pool, level), close: () => pool.end() };
};
