// The state and behaviour suites in Kysely's own transactions, and rows of Kysely beside the jobs.
import { Kysely, SqliteDialect } from "kysely";
import { createQueuert, defineUnionJobTypes } from "queuert";
import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  stateAdapterTestSuite,
} from "queuert/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStateAdapter } from "../../src/index.ts";
import { createKyselyStateProvider } from "../../src/orms/kysely.ts";
import { extendWithStateSqlite } from "../../src/testing.ts";
import { BetterSqlite3Database } from "../better-sqlite3.ts";
import { temporaryFile } from "../open-store.ts";

interface Tables {
  user: { name: string };
}

const rolledBack = new Error("rolled back on purpose");
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };

const openKysely = async (filename: string, busyTimeoutMs = 5_000) => {
  const database = new BetterSqlite3Database(filename, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  const provider = await createKyselyStateProvider({ db, database, busyTimeoutMs });
  const close = async (): Promise<void> => {
    await provider.close();
    await db.destroy();
  };
  return { db, provider: { ...provider, close } };
};

describe("the contract", () => {
  const open = async (filename: string) => (await openKysely(filename)).provider;
  const withState = extendWithStateSqlite(extendWithCommon(it), open);
  stateAdapterTestSuite({ it: withState });
  behaviourTestSuite({ it: extendWithNotifyInProcess(withState) });
});

const open = async (busyTimeoutMs?: number) => {
  const { db, provider } = await openKysely(temporaryFile(), busyTimeoutMs);
  await db.schema.createTable("user").addColumn("name", "text").execute();
  const queuert = await createQueuert({
    stateAdapter: await createSqliteStateAdapter({ stateProvider: provider }),
    jobTypeDefinitions: defineUnionJobTypes<{
      greet: { entry: true; input: string; output: null };
    }>(),
    log: () => undefined,
  });
  onTestFinished(async () => {
    await queuert.close();
    await provider.close();
  });
  const counts = async (): Promise<readonly number[]> => [
    (await db.selectFrom("user").selectAll().execute()).length,
    (await queuert.listJobs()).items.length,
  ];
  return { db, queuert, counts };
};

const job = { typeName: "greet", input: "Ada" } as const;

it("a start commits and rolls back with Kysely's rows, in Kysely's own transaction", async () => {
  const { db, queuert, counts } = await open();
  const start = (ending: () => void) =>
    db.transaction().execute(async (trx) => {
      await trx.insertInto("user").values({ name: "Ada" }).execute();
      await queuert.startJobSequence({ db: trx, ...job });
      ending();
    });
  await start(() => undefined);
  const failing = start(() => {
    throw rolledBack;
  });
  await expect(failing).rejects.toBe(rolledBack);
  expect(await counts()).toEqual([1, 1]);
});

it("a completion commits and rolls back with Kysely's rows", async () => {
  const { db, queuert } = await open();
  const { id } = await queuert.startJobSequence({ ...job, autocommit: true });
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "greet",
      retryConfig: { initialDelayMs: 1, maxDelayMs: 1 },
      process: async ({ job: { attempt, input }, complete }) =>
        complete(async ({ db: trx }) => {
          await trx
            .insertInto("user")
            .values({ name: `${input} ${attempt}` })
            .execute();
          if (attempt === 1) throw rolledBack;
          return null;
        }),
    })
    .start();
  await queuert.waitForJobSequenceCompletion({ typeName: "greet", id, timeoutMs: 20_000 });
  await worker.stop();
  expect(await db.selectFrom("user").selectAll().execute()).toEqual([{ name: "Ada 2" }]);
});

it("a kept transaction is refused, within the next one too, and so is one of another database", async () => {
  const { db, queuert, counts } = await open();
  const kept = await db.transaction().execute(async (trx) => trx);
  const start = () => queuert.startJobSequence({ db: kept, ...job });
  await expect(start()).rejects.toMatchObject(refusal);
  const own = await queuert.transaction(async (context) => context);
  await db.transaction().execute(async () => {
    await expect(start()).rejects.toMatchObject(refusal);
    await expect(queuert.startJobSequence({ ...own, ...job })).rejects.toMatchObject(refusal);
  });
  const other = await openKysely(temporaryFile());
  await db.transaction().execute(() =>
    other.db.transaction().execute(async (trx) => {
      await expect(queuert.startJobSequence({ db: trx, ...job })).rejects.toMatchObject(refusal);
    }),
  );
  await other.provider.close();
  expect(await counts()).toEqual([0, 0]);
});

it("a start that is not awaited is part of the transaction, or refused", async () => {
  const { db, queuert, counts } = await open();
  const starting: Promise<unknown>[] = [];
  const failing = db.transaction().execute(async (trx) => {
    starting.push(Promise.allSettled([queuert.startJobSequence({ db: trx, ...job })]));
    throw rolledBack;
  });
  await expect(failing).rejects.toBe(rolledBack);
  await Promise.all(starting);
  expect(await counts()).toEqual([0, 0]);
});

it("a call outside the transaction that holds Kysely's lock is refused after a while, and later ones run", async () => {
  const { db, queuert, counts } = await open(50);
  await db.transaction().execute(async () => {
    const outside = queuert.startJobSequence({ ...job, autocommit: true });
    await expect(outside).rejects.toMatchObject({ code: "QUEUERT_SQLITE_BUSY" });
  });
  await queuert.startJobSequence({ ...job, autocommit: true });
  expect(await counts()).toEqual([0, 1]);
});
