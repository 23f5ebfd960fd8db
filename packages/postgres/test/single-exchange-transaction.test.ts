// A transaction of `pg` whose BEGIN is sent with its first statement, of any kind and from any sender. If BEGIN is lost, the
// statements are lost too.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { type BeginProxy, startBeginProxy } from "./proxies/begin-proxy.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

describe.each([{ pipeline: false }, { pipeline: true }])("pg, %o", (options) => {
  let proxy: BeginProxy;
  let pool: pg.Pool;
  const provider = () => createPgPoolStateProvider(pool, { preparedStatements: true });

  beforeEach(async () => {
    proxy = await startBeginProxy(await url());
    // One connection, so that the next transaction meets the rest of the one before.
    pool = new pg.Pool({ connectionString: proxy.url, max: 1, ...options });
    await pool.query("DROP TABLE IF EXISTS line, late");
    await pool.query("CREATE TABLE line (text text NOT NULL)");
    proxy.exchangeCount = 0;
  });
  afterEach(async () => {
    await pool.end();
    await proxy.close();
  });

  const lines = async (): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ text: string }>("SELECT text FROM line ORDER BY text");
    return rows.map(({ text }) => text);
  };
  const insert = (client: pg.ClientBase, text: string) =>
    client.query("INSERT INTO line VALUES ($1)", [text]);
  const failure = new Error("on purpose");

  it("takes one exchange for BEGIN and the first statement, and one for the last and COMMIT", async () => {
    await provider().runInTransaction(async (context) => {
      await insert(context.client, "a");
      const statement = { name: "n", sql: "INSERT INTO line VALUES ($1)", params: ["b"] };
      await provider().executeSqlAndCommit?.(statement, context);
    });
    expect(proxy.exchangeCount).toBe(2);
    expect(await lines()).toEqual(["a", "b"]);
  });

  it("takes one exchange for all of a transaction of one statement", async () => {
    const statement = { name: "n", sql: "INSERT INTO line VALUES ($1)", params: ["a"] };
    const run = () =>
      provider().runInTransaction((context) => {
        const answer = provider().executeSqlAndCommit?.(statement, context);
        return Promise.resolve(answer);
      });
    await run();
    expect(proxy.exchangeCount).toBe(1);
    proxy.refuses = () => true;
    await expect(run()).rejects.toMatchObject({ code: "57014" });
    proxy.refuses = () => false;
    await run();
    expect(await lines()).toEqual(["a", "a"]);
  });

  it("takes one exchange for a start with `autocommit`, of one job or of many", async () => {
    const stateProvider = provider();
    const stateAdapter = await createPgStateAdapter({ stateProvider, schema: "alone" });
    await stateAdapter.migrateToLatest();
    const queuert = await createQueuert({
      stateAdapter,
      jobTypeDefinitions: defineUnionJobTypes<{ task: { input: number; output: null } }>(),
    });
    const one = { typeName: "task", input: 1 } as const;
    const sequences = [one, one];
    let beginCount = 0;
    proxy.refuses = () => ++beginCount < 0;
    proxy.exchangeCount = 0;
    await queuert.startJobSequence({ autocommit: true, ...one });
    expect(proxy.exchangeCount).toBe(1);
    await queuert.startJobSequences({ autocommit: true, sequences });
    expect(proxy.exchangeCount).toBe(2);
    expect(beginCount).toBe(0);
    // In a transaction the first statement brings BEGIN, and COMMIT comes by itself.
    await queuert.transaction(async (tx) => queuert.startJobSequence({ ...tx, ...one }));
    expect(proxy.exchangeCount).toBe(4);
    expect(beginCount).toBe(1);

    // A commit that fails takes the job with it, and leaves a connection that is good.
    await pool.query(
      `CREATE TABLE alone.twice (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED);
      CREATE FUNCTION alone.refuse() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO alone.twice VALUES (1), (1); RETURN NULL; END';
      CREATE TRIGGER refuse AFTER INSERT ON alone.job EXECUTE FUNCTION alone.refuse()`,
    );
    const refused = queuert.startJobSequence({ autocommit: true, ...one });
    await expect(refused).rejects.toMatchObject({ code: "23505" });
    await pool.query("DROP TRIGGER refuse ON alone.job");
    expect((await queuert.listJobs()).items).toHaveLength(4);
    await queuert.close();
    await pool.query("DROP SCHEMA alone CASCADE");
  });

  it("sends nothing for a transaction without statements", async () => {
    expect(await provider().runInTransaction(async () => "done")).toBe("done");
    await expect(provider().runInTransaction(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(proxy.exchangeCount).toBe(0);
    expect(await lines()).toEqual([]);
  });

  it.each<[string, (client: pg.ClientBase) => unknown]>([
    ["with parameters", (client) => insert(client, "a")],
    [
      "with a name",
      (client) => client.query({ name: "a", text: "INSERT INTO line VALUES ($1)", values: ["a"] }),
    ],
    ["without parameters", (client) => client.query("INSERT INTO line VALUES ('a')")],
    ["of several", (client) => client.query("SELECT 1; INSERT INTO line VALUES ('a')")],
    [
      "with a callback",
      (client) =>
        new Promise<void>((resolve, reject) => {
          client.query("INSERT INTO line VALUES ($1)", ["a"], (error) =>
            error ? reject(error) : resolve(),
          );
        }),
    ],
    [
      "as an object that submits itself",
      (client) =>
        new Promise<void>((resolve, reject) => {
          client.query(
            new pg.Query("INSERT INTO line VALUES ($1)", ["a"], (error: Error | undefined) =>
              error ? reject(error) : resolve(),
            ),
          );
        }),
    ],
  ])("a first statement %s is part of the transaction, or lost with BEGIN", async (_, run) => {
    const runAndFail = provider().runInTransaction(async ({ client }) => {
      await run(client);
      throw failure;
    });
    await expect(runAndFail).rejects.toBe(failure);
    expect(await lines()).toEqual([]);
    proxy.refuses = () => true;
    const refused = provider().runInTransaction(async ({ client }) => void (await run(client)));
    await expect(refused).rejects.toMatchObject({ code: "57014" });
    proxy.refuses = () => false;
    expect(await lines()).toEqual([]);
    await provider().runInTransaction(async ({ client }) => void (await run(client)));
    expect(await lines()).toEqual(["a"]);
  });

  it("a lost BEGIN takes along every statement that was sent behind it", async () => {
    proxy.refuses = () => true;
    const outcomes: string[] = [];
    const lost = provider().runInTransaction(async ({ client }) => {
      const sent = ["a", "b", "c"].map((text) => insert(client, text));
      for (const { status } of await Promise.allSettled(sent)) outcomes.push(status);
      // A callback that catches the errors cannot go on either.
      await insert(client, "d").catch(() => outcomes.push("rejected"));
    });
    await expect(lost).rejects.toMatchObject({ code: "57014" });
    expect(outcomes).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    proxy.refuses = () => false;
    expect(await lines()).toEqual([]);
  });

  it("statements sent at once at the beginning run in their order, in one transaction", async () => {
    const transaction = provider().runInTransaction(async ({ client }) => {
      const sent = [1, 2, 3].map(() =>
        client.query<{ own: string }>(
          "INSERT INTO line SELECT count(*)::text FROM line WHERE $1 RETURNING text AS own",
          [true],
        ),
      );
      return (await Promise.all(sent)).map(({ rows }) => rows[0]?.own);
    });
    expect(await transaction).toEqual(["0", "1", "2"]);
    expect(await lines()).toEqual(["0", "1", "2"]);
  });

  it("a named first statement that could not be prepared can be later, on the same connection", async () => {
    const late = { name: "late", text: "INSERT INTO late VALUES ($1)", values: ["a"] };
    const run = () => provider().runInTransaction(({ client }) => client.query(late));
    await expect(run()).rejects.toMatchObject({ code: "42P01" });
    await pool.query("CREATE TABLE late (text text)");
    await run();
    await run();
    expect(await pool.query("SELECT FROM late")).toMatchObject({ rowCount: 2 });
  });

  it("the client keeps the `query` it had", async () => {
    const client = await pool.connect();
    const before = Object.getOwnPropertyDescriptor(client, "query");
    client.release();
    const kept: { query?: pg.PoolClient["query"] } = {};
    await provider().runInTransaction(async (context) => {
      const held = context.client as pg.PoolClient;
      kept.query = held.query.bind(held);
      expect(Object.getOwnPropertyDescriptor(client, "query")).toEqual(before);
      await insert(held, "a");
    });
    const again = await pool.connect();
    expect(Object.getOwnPropertyDescriptor(again, "query")).toEqual(before);
    // Kept beyond the end of its transaction, it neither runs by itself nor joins another transaction.
    const late = kept.query?.("INSERT INTO line VALUES ($1)", ["b"]);
    await expect(late).rejects.toMatchObject({ code: "QUEUERT_TRANSACTION_ENDING" });
    again.release();
    expect(await lines()).toEqual(["a"]);
  });
});
