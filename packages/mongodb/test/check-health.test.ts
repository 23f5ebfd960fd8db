// The checks of a real server, and those of replies that only a broken replica set would give.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { type AnyStateAdapter, StatementTimeoutError } from "queuert/internal";
import { createStateSteps, jobs } from "queuert/testing";
import { expect, it, onTestFinished } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { setFindings } from "../src/operator/replica-set-health.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const open = async () => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url, { appName: "report" });
  onTestFinished(async () => {
    await client.close();
    await drop();
  });
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  const mongo = await createMongoStateAdapter({ stateProvider });
  await mongo.migrateToLatest();
  const adapter = mongo as unknown as AnyStateAdapter;
  const check = async (isThorough: boolean, longTransactionMs = 3_600_000) =>
    (await adapter.operator?.checkHealth?.({ longTransactionMs, isThorough })) ?? [];
  const collection = (suffix: string) =>
    client.db(name).collection<{ _id: string }>(`queuert_${suffix}`);
  return { client, name, adapter, check, collection, steps: createStateSteps(adapter) };
};

it("names a long transaction by its application", async () => {
  const { client, name, check } = await open();
  const session = client.startSession();
  session.startTransaction();
  await client.db(name).collection("mine").insertOne({ a: 1 }, { session });
  const found = await check(false, 1);
  await session.abortTransaction();
  await session.endSession();
  // Other tests have transactions on the same server.
  const own = found.filter(({ text }) => text.startsWith('a transaction of "report"'));
  expect(own.map(({ level }) => level)).toEqual(["warn"]);
  expect(own[0]?.text).toMatch(/^a transaction of "report" \(.*\) has been open for \d/);
});

it("finds markers, failures and waits that nothing ends", async () => {
  const { check, collection, steps } = await open();
  const old = new Date(Date.now() - 3 * 86_400_000);
  const blocker = await steps.createOne({ typeName: "blocker" });
  const failed = await steps.createFailed({ typeName: "failed" });
  await steps.createBlocked([blocker]);
  expect(await check(true)).toEqual([]);
  await collection("waits").insertOne({ _id: "marker", at: old } as { _id: string });
  await collection("jobs").updateOne(
    { _id: failed.id },
    { $set: { cascade: true, finishedAt: old } },
  );
  await collection("jobs").deleteOne({ _id: blocker.id });
  expect((await check(false)).map(({ level, text }) => `${level} ${text}`)).toEqual([
    expect.stringContaining("warn markers of 3 d ago are still stored"),
    expect.stringContaining("fail the dependants of a job that failed 3 d ago"),
  ]);
  expect((await check(true)).at(-1)?.text).toContain(
    "1 blocked jobs wait for a sequence that does",
  );
});

it("judges the members of a replica set", () => {
  const member = (stateStr: string, health = 1) => ({ name: `${stateStr}:1`, health, stateStr });
  const texts = (set: Parameters<typeof setFindings>[0]) =>
    setFindings(set).map(({ text }) => text.split(":")[0]);
  const well = [member("PRIMARY"), member("SECONDARY"), member("SECONDARY")];
  expect(texts({ members: well })).toEqual([]);
  expect(texts({ members: [...well, member("(not reachable/healthy)", 0)] })).toHaveLength(1);
  expect(texts({ members: [...well, member("RECOVERING")] })).toEqual(["the member RECOVERING"]);
  const votes = { writeMajorityCount: 2, writableVotingMembersCount: 2 };
  const arbiter = [member("PRIMARY"), member("SECONDARY"), member("ARBITER")];
  expect(texts({ members: arbiter, ...votes })).toEqual([
    "each write waits for all 2 members with data",
  ]);
  expect(texts({ members: well, ...votes })).toEqual([]);
  const at = (second: number) => new Date(second * 1_000);
  const lag = { lastAppliedWallTime: at(100), lastCommittedWallTime: at(70) };
  expect(texts({ members: well, optimes: lag })).toEqual([
    "the majority is 30 s behind the primary",
  ]);
});

it("ends a read after its time", async () => {
  const { adapter } = await open();
  for (let created = 0; created < 20_000; created += 5_000) {
    await adapter.createJobs({ jobs: jobs(5_000) });
  }
  const absent = { field: "contains", of: ["input"], anyOf: ["nowhere"], negated: false } as const;
  const page = { order: "asc", limit: 1, afterOrdinal: null, ordinalMax: null } as const;
  const search = (timeoutMs?: number) =>
    adapter.operator?.examineJobs?.({
      ...{ ...page, conditions: [absent], examineMax: 20_000, timeoutMs },
    });
  await expect(search(1)).rejects.toBeInstanceOf(StatementTimeoutError);
  expect(await search(60_000)).toMatchObject({ jobs: [], examined: 20_000 });
  expect(await search()).toMatchObject({ jobs: [], examined: 20_000 });
});
