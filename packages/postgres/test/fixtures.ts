import { providedPostgres, providedPostgres18 } from "@queuert/test-services/provided";
import pg from "pg";
import postgres from "postgres";
import type { PgStateProvider } from "../src/index.ts";
import {
  createPgPoolStateProvider,
  type PgContext,
  type PgPoolProviderOptions,
  type PgTxContext,
} from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { deferred, type UsersTransaction } from "queuert/testing";
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
  providerOptions: PgPoolProviderOptions = {},
): Promise<TestConnection> => {
  const pool = new pg.Pool({ connectionString: url, max: 40, ...options });
  const beginUsersTransaction = async (): Promise<UsersTransaction> => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const rollBack = async (): Promise<void> => {
      await client.query("ROLLBACK");
      client.release();
    };
    return { context: { client }, rollBack };
  };
  const provider = createPgPoolStateProvider(pool, providerOptions);
  return { provider, beginUsersTransaction, close: () => pool.end() };
};

/** A transaction in whose callback the test stays until it rolls back. */
export const beginByCallback = async (
  transaction: (callback: (context: object) => Promise<never>) => Promise<unknown>,
): Promise<UsersTransaction> => {
  const rolledBack = new Error("rolled back on purpose");
  const end = deferred<never>();
  const begun = deferred<object>();
  const ended = transaction((context) => {
    begun.resolve(context);
    return end.promise;
  }).catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  ended.catch(begun.reject);
  const rollBack = async (): Promise<void> => {
    end.reject(rolledBack);
    await ended;
  };
  return { context: await begun.promise, rollBack };
};

export const connectPostgresJs = async (
  url: string,
  options: postgres.Options<Record<string, postgres.PostgresType>> = {},
): Promise<TestConnection> => {
  // `fetch_types`: a connection cut while the driver asks for types is a rejection without a handler.
  const sql = postgres(url, { max: 40, fetch_types: false, onnotice: () => {}, ...options });
  const provider = createPostgresJsStateProvider(sql);
  const beginUsersTransaction = (): Promise<UsersTransaction> =>
    beginByCallback((callback) => sql.begin((tx) => callback({ sql: tx })));
  return { provider, beginUsersTransaction, close: () => sql.end({ timeout: 5 }) };
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
