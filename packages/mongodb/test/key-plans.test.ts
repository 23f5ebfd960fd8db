// The reads of an acquisition under 10,000 keys, beside a full key with many jobs: counted by the server's profiler. The number
// does not depend on the jobs of full keys, and no plan scans a collection or sorts.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Db, type Document, MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob } from "queuert/testing";
import { expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const keyCount = 10_000;
const noisyCount = 20_000;
const wanted = 100;
/** Entries and documents for each acquired job, in all commands together. */
const examinedMax = 32;

const createUnder = async (adapter: AnyStateAdapter, keys: readonly string[]): Promise<void> => {
  for (let from = 0; from < keys.length; from += 5_000) {
    const some = keys.slice(from, from + 5_000);
    await adapter.createJobs({
      jobs: some.map((key) => aJob({ limitKey: { limitName: "task", key, cost: 1 } })),
    });
  }
};

/** The commands on jobs and keys while a call runs. */
const profiled = async (database: Db, run: () => Promise<void>): Promise<readonly Document[]> => {
  await database.command({ profile: 0 });
  await database.collection("system.profile").drop();
  await database.command({ profile: 2 });
  await run();
  await database.command({ profile: 0 });
  return database
    .collection("system.profile")
    .find({ ns: { $regex: /queuert_(jobs|limit)/u } })
    .toArray();
};

it("reads a bounded number of entries for each job", { timeout: 120_000 }, async () => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url);
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  const created = await createMongoStateAdapter({ stateProvider });
  await created.migrateToLatest();
  const adapter = created as unknown as AnyStateAdapter;
  const perKey = { concurrency: 1, rate: null };
  const none = { concurrency: null, rate: null, declaration: null };
  await adapter.setLimits({ limits: [{ name: "task", ...none, perKey }] });
  const types = [{ typeName: "task", leaseMs: 600_000, limit: wanted }];
  const acquire = async (): Promise<number> => {
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: wanted, types });
    return jobs.length;
  };
  await createUnder(
    adapter,
    Array.from({ length: noisyCount }, () => "noisy"),
  );
  // One job of the key starts. The turns of the others are used up in a bounded number of looks.
  expect(await acquire()).toBe(1);
  const database = client.db(name);
  const stored = database.collection("queuert_jobs");
  let looks = 0;
  while ((await stored.countDocuments({ status: "pending", turnAt: { $exists: true } })) > 0) {
    await acquire();
    expect(++looks).toBeLessThan(6);
  }
  const keys = Array.from({ length: keyCount }, (_, index) => `key-${index}`);
  await createUnder(adapter, [...keys, ...keys]);
  for (const round of ["first", "second"]) {
    const commands = await profiled(database, async () => {
      expect(await acquire(), round).toBe(wanted);
    });
    let examined = 0;
    for (const { keysExamined = 0, docsExamined = 0, planSummary = "", hasSortStage } of commands) {
      examined += Number(keysExamined) + Number(docsExamined);
      expect(String(planSummary)).not.toContain("COLLSCAN");
      expect(hasSortStage).toBeUndefined();
    }
    expect(commands.length).toBeGreaterThan(5);
    expect(examined / wanted).toBeLessThan(examinedMax);
  }
  await client.close();
  await drop();
});
