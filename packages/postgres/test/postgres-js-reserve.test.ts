// `sql.reserve()` of postgres.js never resolves if the client has `fetch_types: false`, which this package's README advises.
// So nothing here may reserve a connection, and the README names the trap for those that do.
import { readFileSync } from "node:fs";
import { providedPostgres } from "@queuert/test-services/provided";
import { Kysely, PostgresDialect, sql as raw } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import pg from "pg";
import postgres from "postgres";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { settlesWithin } from "queuert/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  createPgNotifyAdapter,
  createPgStateAdapter,
  PgFirstConnectionError,
} from "../src/index.ts";
import { createKyselyStateProvider } from "../src/orms/kysely.ts";
import {
  createPostgresJsNotifyProvider,
  createPostgresJsStateProvider,
} from "../src/providers/postgres-js.ts";
import type { PgStateProvider } from "../src/index.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

const open = async (options: { readonly fetch_types?: false }): Promise<postgres.Sql> => {
  const sql = postgres(await url(), { max: 4, onnotice: () => undefined, ...options });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
};

/** Runs one job, which starts in a transaction. */
const runOne = async (
  stateProvider: PgStateProvider<object, object>,
  notifyAdapter?: Awaited<ReturnType<typeof createPgNotifyAdapter>>,
): Promise<unknown> => {
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: null; output: "done" } }>();
  const log = () => undefined;
  const queuert = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions, log });
  const { id } = await queuert.transaction((context) =>
    queuert.startJobSequence({ ...context, typeName: "task", input: null }),
  );
  const worker = await queuert
    .createWorker()
    .implementJobType({ typeName: "task", process: async ({ complete }) => complete("done") })
    .start();
  const { output } = await queuert.waitForJobSequenceCompletion({
    ...{ typeName: "task", id, timeoutMs: 10_000 },
  });
  await worker.stop();
  await queuert.close();
  return output;
};

it("a client with the advised option works, because nothing reserves a connection", async () => {
  const sql = await open({ fetch_types: false });
  let reserved = 0;
  const { reserve } = sql;
  sql.reserve = () => {
    reserved += 1;
    return reserve();
  };
  const notifyAdapter = await createPgNotifyAdapter({
    provider: createPostgresJsNotifyProvider(sql),
  });
  expect(await runOne(createPostgresJsStateProvider(sql), notifyAdapter)).toBe("done");
  await notifyAdapter.close();
  expect(reserved).toBe(0);
});

it("Kysely over postgres.js, which reserves for each statement, works without the option", async () => {
  const db = new Kysely<object>({ dialect: new PostgresJSDialect({ postgres: await open({}) }) });
  expect(await runOne(createKyselyStateProvider(db))).toBe("done");
});

it("Kysely over postgres.js with the option is refused by name, instead of waiting for ever", async () => {
  const sql = await open({ fetch_types: false });
  const db = new Kysely<object>({ dialect: new PostgresJSDialect({ postgres: sql }) });
  const stateProvider = createKyselyStateProvider(db);
  const refusal = { code: "QUEUERT_PG_FIRST_CONNECTION" };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const statement = stateProvider.executeSql({ sql: "SELECT 1", params: [] }, undefined);
  const transaction = stateProvider.runInTransaction(async () => undefined);
  const refused = Promise.all([
    expect(statement).rejects.toMatchObject(refusal),
    expect(transaction).rejects.toThrow(/leave `fetch_types: false` out/),
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
});

it("a call that was refused for want of a connection does nothing later", async () => {
  const pool = new pg.Pool({ connectionString: await url(), max: 1 });
  onTestFinished(() => pool.end());
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
  const stateProvider = createKyselyStateProvider(db);
  const holder = await pool.connect();
  await holder.query("CREATE TABLE late (key text)");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const insert = { sql: "INSERT INTO late VALUES ('x')", params: [] };
  const callback = vi.fn<() => Promise<void>>();
  const calls = [
    stateProvider.executeSql(insert, undefined),
    stateProvider.runInTransaction(callback),
  ];
  const refused = Promise.all(
    calls.map((call) => expect(call).rejects.toBeInstanceOf(PgFirstConnectionError)),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
  vi.useRealTimers();
  holder.release();
  // The pool serves in turn: both calls have had the connection before this one.
  expect(
    await stateProvider.executeSql({ sql: "SELECT * FROM late", params: [] }, undefined),
  ).toEqual([]);
  expect(callback).not.toHaveBeenCalled();
});

it("the trap is there, and both pages name it", async () => {
  const sql = await open({ fetch_types: false });
  const db = new Kysely<object>({ dialect: new PostgresJSDialect({ postgres: sql }) });
  const waiting = raw`SELECT 1`.execute(db);
  waiting.catch(() => undefined);
  // If postgres.js mends it, the sentences below are to go.
  expect(await settlesWithin(waiting, 500)).toBe(false);
  for (const page of ["../README.md", "../docs/kysely.md"]) {
    const text = readFileSync(new URL(page, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
    expect(text).toMatch(/`sql\.reserve\(\)` of postgres\.js 3\.4 never resolves/);
    expect(text).toContain("fetch_types: false");
  }
});
