// The state and behaviour suites with a Drizzle in each context, and rows of Drizzle beside the jobs.
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createQueuert, type DefineContinuationOutput, defineUnionJobTypes } from "queuert";
import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  stateAdapterTestSuite,
} from "queuert/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStateAdapter } from "../../src/index.ts";
import { createDrizzleStateProvider } from "../../src/orms/drizzle.ts";
import { createBetterSqlite3Provider } from "../../src/providers/better-sqlite3.ts";
import { extendWithStateSqlite } from "../../src/testing.ts";
import { BetterSqlite3Database } from "../better-sqlite3.ts";
import { temporaryFile } from "../open-store.ts";

const user = sqliteTable("user", { id: integer().primaryKey(), name: text().notNull() });
const schema = { user };
const rolledBack = new Error("rolled back on purpose");
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };

const openProvider = async (filename: string) => {
  const driver = BetterSqlite3Database;
  const inner = await createBetterSqlite3Provider({ filename, synchronous: "NORMAL", driver });
  return createDrizzleStateProvider(inner, (client) => drizzle(client, { schema }));
};

describe("the contract", () => {
  const withState = extendWithStateSqlite(extendWithCommon(it), openProvider);
  stateAdapterTestSuite({ it: withState });
  behaviourTestSuite({ it: extendWithNotifyInProcess(withState) });
});

const open = async () => {
  const filename = temporaryFile();
  const stateProvider = await openProvider(filename);
  await stateProvider.write((connection) =>
    connection.exec("CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
  );
  const queuert = await createQueuert({
    stateAdapter: await createSqliteStateAdapter({ stateProvider }),
    jobTypeDefinitions: defineUnionJobTypes<{
      first: { entry: true; input: string; output: DefineContinuationOutput<"next"> };
      next: { input: null; output: { last: true } };
    }>(),
    log: () => undefined,
  });
  onTestFinished(async () => {
    await queuert.close();
    await stateProvider.close();
  });
  /** The committed rows and jobs. */
  const counts = (): Promise<unknown> =>
    stateProvider.read((connection) =>
      connection
        .prepare("SELECT (SELECT count(*) FROM user), (SELECT count(*) FROM queuert_job)")
        .get(),
    );
  return { queuert, counts, filename };
};

const job = { typeName: "first", input: "Ada" } as const;

it("a start commits and rolls back with Drizzle's rows", async () => {
  const { queuert, counts } = await open();
  const start = (ending: () => void) =>
    queuert.transaction(async ({ db }) => {
      // A transaction of Drizzle inside is a savepoint.
      db.transaction((tx) => tx.insert(user).values({ name: "Ada" }).run());
      await queuert.startJobSequence({ db, ...job });
      ending();
    });
  await start(() => undefined);
  const failing = start(() => {
    throw rolledBack;
  });
  await expect(failing).rejects.toBe(rolledBack);
  expect(await counts()).toEqual([1, 1]);
});

it("the completion, Drizzle's rows and the next job commit and roll back together", async () => {
  const { queuert, counts } = await open();
  const { id } = await queuert.startJobSequence({ ...job, autocommit: true });
  const seen: unknown[] = [];
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "first",
      retryConfig: { initialDelayMs: 1, maxDelayMs: 1 },
      process: async ({ job: { attempt, input }, complete }) => {
        seen.push(await counts());
        return complete(async ({ db, continueWith }) => {
          db.insert(user).values({ name: input }).run();
          const next = await continueWith({ typeName: "next", input: null });
          if (attempt === 1) throw rolledBack;
          return next;
        });
      },
    })
    .implementJobType({
      typeName: "next",
      process: async ({ complete }) => complete({ last: true }),
    })
    .start();
  await queuert.waitForJobSequenceCompletion({ typeName: "first", id, timeoutMs: 20_000 });
  await worker.stop();
  expect(seen).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(await counts()).toEqual([1, 2]);
});

it("a kept Drizzle is refused, within the next transaction too, and so is one of the user's", async () => {
  const { queuert, counts, filename } = await open();
  const kept = await queuert.transaction(async ({ db }) => ({ db }));
  await expect(queuert.startJobSequence({ ...kept, ...job })).rejects.toMatchObject(refusal);
  await queuert.transaction(async () => {
    await expect(queuert.startJobSequence({ ...kept, ...job })).rejects.toMatchObject(refusal);
    expect(() => kept.db.insert(user).values({ name: "late" }).run()).toThrow("has ended");
  });
  const client = new BetterSqlite3Database(filename);
  const users = drizzle(client, { schema });
  await expect(queuert.startJobSequence({ db: users, ...job })).rejects.toMatchObject(refusal);
  client.close();
  expect(await counts()).toEqual([0, 0]);
});
