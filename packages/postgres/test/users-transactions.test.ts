// Starts in a transaction that the user begins and ends with the driver alone. A start that is not awaited reaches the
// connection behind the user's ROLLBACK. It is then refused: it neither runs by itself nor joins another transaction.
import { PGlite } from "@electric-sql/pglite";
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import postgres from "postgres";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStateProvider } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPgliteStateProvider } from "../src/providers/pglite.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };
const job = { typeName: "task", input: null } as const;
const jobTypeDefinitions = defineUnionJobTypes<{
  task: { entry: true; input: null; output: null };
}>();

const open = async <TTx extends object, T extends object>(
  stateProvider: PgStateProvider<TTx, T>,
  schema: string,
) => {
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  return createQueuert({ stateAdapter, jobTypeDefinitions });
};

describe.each([{ pipeline: false }, { pipeline: true }])("pg, %o", (options) => {
  let pool: pg.Pool;
  let queuert: Awaited<ReturnType<typeof openPg>>;
  const schema = `users_pg_${options.pipeline}`;
  const openPg = () => open(createPgPoolStateProvider(pool), schema);

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await url(), max: 2, ...options });
    queuert = await openPg();
  });
  afterAll(async () => {
    await queuert.close();
    await pool.end();
  });
  beforeEach(async () => {
    await pool.query(`TRUNCATE ${schema}.job`);
  });
  const count = async (): Promise<number> => (await queuert.listJobs()).items.length;

  it("a start that is not awaited is refused behind ROLLBACK", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const starting = queuert.startJobSequence({ client, ...job });
    await Promise.all([expect(starting).rejects.toMatchObject(refusal), client.query("ROLLBACK")]);
    client.release();
    expect(await count()).toBe(0);
  });

  it("a start that is not awaited is refused behind COMMIT", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const starting = queuert.startJobSequence({ client, ...job });
    await Promise.all([expect(starting).rejects.toMatchObject(refusal), client.query("COMMIT")]);
    client.release();
    expect(await count()).toBe(0);
  });

  it("awaited starts are part of the transaction, several at once too", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const start = () => queuert.startJobSequence({ client, ...job });
    await start();
    await Promise.all([start(), client.query("SELECT 1"), start()]);
    await client.query("COMMIT");
    await client.query("BEGIN");
    await start();
    await client.query("ROLLBACK");
    client.release();
    expect(await count()).toBe(3);
  });

  it("a failed statement of the user's is the reason, not the end of the transaction", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await expect(client.query("SELECT * FROM no_such_table")).rejects.toThrow();
    const starting = queuert.startJobSequence({ client, ...job });
    await expect(starting).rejects.toMatchObject({ code: "25P02" });
    await client.query("ROLLBACK");
    client.release();
  });

  it("the client of `transaction` refuses after it, on a connection that has begun another", async () => {
    const kept: pg.ClientBase[] = [];
    await queuert.transaction(async ({ client }) => {
      kept.push(client);
      await queuert.startJobSequence({ client, ...job });
    });
    const [stale] = kept as [pg.ClientBase];
    const next = await pool.connect();
    await next.query("BEGIN");
    await expect(queuert.startJobSequence({ client: stale, ...job })).rejects.toMatchObject(
      refusal,
    );
    const own = stale.query("SELECT 1");
    await expect(own).rejects.toMatchObject({ code: "QUEUERT_TRANSACTION_ENDING" });
    await next.query("COMMIT");
    next.release();
    expect(await count()).toBe(1);
  });
});

it("pg: a start that is not awaited does not join the transaction that the user begins next", async () => {
  const pool = new pg.Pool({ connectionString: await url(), max: 1 });
  const queuert = await open(createPgPoolStateProvider(pool), "users_next");
  const client = await pool.connect();
  await client.query("BEGIN");
  const starting = queuert.startJobSequence({ client, ...job });
  const refused = expect(starting).rejects.toMatchObject(refusal);
  await Promise.all([client.query("ROLLBACK"), client.query("BEGIN"), refused]);
  await client.query("COMMIT");
  client.release();
  expect((await queuert.listJobs()).items).toEqual([]);
  await queuert.close();
  await pool.end();
});

describe("postgres.js", () => {
  let sql: postgres.Sql;
  let queuert: Awaited<ReturnType<typeof openPostgresJs>>;
  const openPostgresJs = () => open(createPostgresJsStateProvider(sql), "users_postgres_js");
  const rolledBack = new Error("rolled back on purpose");

  beforeAll(async () => {
    sql = postgres(await url(), { max: 1, fetch_types: false, onnotice: () => undefined });
    queuert = await openPostgresJs();
  });
  afterAll(async () => {
    await queuert.close();
    await sql.end({ timeout: 5 });
  });
  beforeEach(async () => {
    await sql`TRUNCATE users_postgres_js.job`;
  });
  const count = async (): Promise<number> => (await queuert.listJobs()).items.length;

  it("a start that is not awaited is refused behind the ROLLBACK of its callback", async () => {
    const starting: Promise<unknown>[] = [];
    const transaction = sql.begin((tx) => {
      starting.push(Promise.allSettled([queuert.startJobSequence({ sql: tx, ...job })]));
      throw rolledBack;
    });
    await expect(transaction).rejects.toBe(rolledBack);
    expect(await starting[0]).toMatchObject([{ status: "rejected", reason: refusal }]);
    expect(await count()).toBe(0);
  });

  it("a kept transaction refuses, and does not join the next one of its connection", async () => {
    const kept: postgres.TransactionSql[] = [];
    await sql.begin(async (tx) => {
      kept.push(tx);
      await queuert.startJobSequence({ sql: tx, ...job });
    });
    const [stale] = kept as [postgres.TransactionSql];
    await sql.begin(async (tx) => {
      await tx`SELECT 1`;
      const late = queuert.startJobSequence({ sql: stale, ...job });
      await expect(late).rejects.toMatchObject(refusal);
      expect(() => stale`SELECT 1`).toThrow("already returned or thrown");
    });
    expect(await count()).toBe(1);
  });

  it("a kept savepoint refuses within the transaction around it", async () => {
    await sql.begin(async (tx) => {
      const kept: postgres.TransactionSql[] = [];
      const savepoint = tx.savepoint(async (inner) => {
        kept.push(inner);
        await queuert.startJobSequence({ sql: inner, ...job });
        throw rolledBack;
      });
      await expect(savepoint).rejects.toBe(rolledBack);
      const [stale] = kept as [postgres.TransactionSql];
      const late = queuert.startJobSequence({ sql: stale, ...job });
      await expect(late).rejects.toMatchObject(refusal);
      await queuert.startJobSequence({ sql: tx, ...job });
    });
    expect(await count()).toBe(1);
  });

  it("results pass as the driver gives them: arrays of promises, options, values", async () => {
    expect(await sql.begin((tx) => [tx`SELECT 1 AS one`, tx`SELECT 2 AS two`])).toEqual([
      [{ one: 1 }],
      [{ two: 2 }],
    ]);
    const read = sql.begin("read only", (tx) => tx`SHOW transaction_read_only`);
    expect(await read).toEqual([{ transaction_read_only: "on" }]);
  });
});

describe("PGlite", () => {
  // On a busy machine, a PGlite takes ten seconds to start.
  it("a start that is not awaited is refused behind ROLLBACK", { timeout: 60_000 }, async () => {
    const db = await PGlite.create();
    const queuert = await open(createPgliteStateProvider(db), "users_pglite");
    const starting: Promise<unknown>[] = [];
    await db.transaction(async (tx) => {
      starting.push(queuert.startJobSequence({ client: tx, ...job }));
      await tx.rollback();
    });
    await expect(starting[0]).rejects.toMatchObject(refusal);
    await db.transaction((tx) => queuert.startJobSequence({ client: tx, ...job }));
    expect((await queuert.listJobs()).items).toHaveLength(1);
    await queuert.close();
    await db.close();
  });
});
