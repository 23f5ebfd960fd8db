// Behind a proxy that pools transactions: nothing counts on the session.
import { randomUUID } from "node:crypto";
import pg from "pg";
import postgres from "postgres";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgNotifyAdapter, createPgStateAdapter, type PgStateProvider } from "../src/index.ts";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { callEveryMethod } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";
import { type PoolingProxy, startPoolingProxy } from "./proxies/pooling-proxy.ts";

const jobTypeDefinitions = defineUnionJobTypes<{
  add: { input: number; output: null };
}>();

describe.each(servers)("%s", (_, databases) => {
  let directUrl: string;
  let proxy: PoolingProxy;

  beforeAll(async () => {
    directUrl = (await databases().createDatabase()).url;
    proxy = await startPoolingProxy(directUrl, 3);
  });
  afterAll(() => proxy.close());

  let schemas = 0;
  const open = async <TTxContext extends object, TContext extends object>(
    stateProvider: PgStateProvider<TTxContext, TContext>,
  ) => {
    const schema = `pooled_${(schemas += 1)}`;
    const adapter = await createPgStateAdapter({ stateProvider, schema });
    await adapter.migrateToLatest();
    return adapter;
  };

  it("every method works through pg", async () => {
    const pool = new pg.Pool({ connectionString: proxy.url, max: 6 });
    const adapter = await open(createPgPoolStateProvider(pool));
    await callEveryMethod(adapter);
    await callEveryMethod(adapter);
    await pool.end();
  });

  it("every method works through postgres.js", async () => {
    const sql = postgres(proxy.url, { max: 6, fetch_types: false, prepare: false });
    const adapter = await open(createPostgresJsStateProvider(sql));
    await callEveryMethod(adapter);
    await callEveryMethod(adapter);
    await sql.end();
  });

  it.each([
    ["prepares no statements behind the proxy", () => proxy.url, 0],
    ["prepares statements on the server itself", () => directUrl, 1],
  ])("the provider for pg %s, unless asked", async (_title, url, prepared) => {
    const pool = new pg.Pool({ connectionString: url(), max: 1 });
    const adapter = await open(createPgPoolStateProvider(pool));
    for (let look = 0; look < 3; look += 1) await adapter.getJobs({ ids: [randomUUID()] });
    const { rows } = await pool.query(
      "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE '%_get_jobs'",
    );
    expect(rows).toEqual([{ count: prepared }]);
    await pool.end();
  });

  it("the proxy pools transactions: statements prepared by name are not found again", async () => {
    const pool = new pg.Pool({ connectionString: proxy.url, max: 1 });
    const adapter = await open(createPgPoolStateProvider(pool, { preparedStatements: true }));
    const look = () =>
      adapter.getJobs({ ids: [] as string[] }).then(() => callEveryMethod(adapter));
    await expect(look().then(look)).rejects.toMatchObject({ code: "26000" });
    await pool.end();
  });

  it("workers complete jobs in transactions of fewer connections than they have, and listen past it", async () => {
    const pool = new pg.Pool({ connectionString: proxy.url, max: 10 });
    const listenConnection = { connectionString: directUrl };
    const notifyAdapter = await createPgNotifyAdapter({
      provider: createPgPoolNotifyProvider(pool, { listenConnection }),
      channelPrefix: "pooled",
    });
    const stateAdapter = await open(createPgPoolStateProvider(pool));
    const queuert = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions });
    await pool.query("CREATE TABLE sum (n integer NOT NULL)");
    const before = proxy.transactionCount();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "add",
        process: async ({ job, complete }) =>
          complete(async ({ client }) => {
            await client.query("INSERT INTO sum VALUES ($1)", [job.input]);
            return null;
          }),
      })
      .start({ concurrency: 8 });
    const start = (input: number) =>
      queuert.transaction((context) =>
        queuert.startJobSequence({ ...context, typeName: "add", input }),
      );
    const started = await Promise.all(Array.from({ length: 50 }, (_one, index) => start(index)));
    for (const { id } of started) {
      await queuert.waitForJobSequenceCompletion({ typeName: "add", id, timeoutMs: 20_000 });
    }
    await worker.stop();
    const { rows } = await pool.query("SELECT count(*)::int AS count, sum(n)::int AS sum FROM sum");
    expect(rows).toEqual([{ count: 50, sum: (49 * 50) / 2 }]);
    expect(proxy.transactionCount() - before).toBeGreaterThan(100);
    await notifyAdapter.close();
    await queuert.close();
    await pool.end();
  });
});
