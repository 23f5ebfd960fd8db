// Under a rate the tokens of jobs are counted at one time, and the jobs are written by a later command. If that is late, the starts
// of two acquisitions come close to each other by the clock. Both have to be stored with the time of their tokens.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import type { AnyStateAdapter, StateJob } from "queuert/internal";
import { aJob } from "queuert/testing";
import { describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

const rate = { count: 1, perMs: 300, burst: 1 };

const kinds = [
  { name: "of a type", bounds: { rate }, job: {} },
  {
    name: "of a key",
    bounds: { rate: null, perKey: { concurrency: null, rate } },
    job: { limitKey: { limitName: "task", key: "k", cost: 1 } },
  },
];

describe("two acquisitions under a rate", () => {
  it.each(kinds)("start a window apart, $name, though the first writes late", async (kind) => {
    const { url, name, drop } = await providedMongodb().createDatabase();
    const client = new MongoClient(url);
    const provider = createMongodbProvider({ client, databaseName: name });
    const now = async (): Promise<number> => {
      const { localTime } = await client.db(name).command({ hello: 1 });
      return (localTime as Date).getTime();
    };
    let lateCount = 0;
    const database = overrideCollections(provider.database, (collection) => ({
      updateMany: async (filter, update, options) => {
        const isLease = JSON.stringify(update).includes('"leaseVersion"');
        if (isLease && lateCount === 0) {
          lateCount++;
          // For longer than a window, by the store's clock.
          const until = (await now()) + 2 * rate.perMs;
          while ((await now()) < until);
        }
        return collection.updateMany(filter, update, options);
      },
    }));
    const created = await createMongoStateAdapter({ stateProvider: { ...provider, database } });
    await created.migrateToLatest();
    const adapter = created as unknown as AnyStateAdapter;
    const limit = { name: "task", concurrency: null, declaration: null, ...kind.bounds };
    await adapter.setLimits({ limits: [limit] });
    await adapter.createJobs({ jobs: [aJob(kind.job), aJob(kind.job)] });
    const started: StateJob[] = [];
    const types = [{ typeName: "task", leaseMs: 60_000, limit: 5 }];
    while (started.length < 2) {
      const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 5, types });
      started.push(...jobs.map(({ job }) => job));
    }
    const [first = NaN, second = NaN] = started
      .map(({ lastAttemptAt }) => lastAttemptAt?.getTime() ?? NaN)
      .toSorted((one, other) => one - other);
    expect(lateCount).toBe(1);
    // Stored times are whole milliseconds.
    expect(second - first).toBeGreaterThanOrEqual(rate.perMs - 1);
    await client.close();
    await drop();
  });
});
