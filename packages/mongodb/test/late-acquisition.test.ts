// An acquisition of several jobs writes with one command and reads the jobs with the next. If the process is
// suspended in between for longer than the lease, the lease is lost. A single job is written and read at once.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { jobs } from "queuert/testing";
import { describe, expect, it } from "vitest";
import type { MongoDatabase } from "../src/state-provider.ts";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

/** The database, with a callback before the acquired jobs are read. */
const pausing = (database: MongoDatabase, pause: () => Promise<void>): MongoDatabase =>
  overrideCollections(database, (collection) => ({
    find: (filter, options) => ({
      toArray: async () => {
        if ("acquisition" in filter) await pause();
        return collection.find(filter, options).toArray();
      },
    }),
  }));

describe("an acquisition that is suspended", () => {
  it.each([
    ["reclaimed", "pending"],
    ["completed without a worker", "completed"],
  ])("returns no job that was %s meanwhile", async (_how, status) => {
    const { url, name, drop } = await providedMongodb().createDatabase();
    const client = new MongoClient(url);
    const provider = createMongodbProvider({ client, databaseName: name });
    const other = await createMongoStateAdapter({ stateProvider: provider });
    await other.migrateToLatest();
    const created = await other.createJobs({ jobs: jobs(2) });
    const ids = created.map(({ job }) => job.id);

    const meanwhile = async (): Promise<void> => {
      if (status === "completed") {
        const outcome = { kind: "output", output: "null" } as const;
        const completions = ids.map((jobId) => ({ jobId, leaseVersion: null, outcome }));
        await other.completeJobs({ workerId: null, completions });
      }
      for (;;) {
        await other.reclaimExpiredLeases({ limit: 10 });
        const stored = await other.getJobs({ ids });
        if (stored.every((job) => job?.status === status)) return;
      }
    };
    let paused = 0;
    const database = pausing(provider.database, () => {
      paused++;
      return meanwhile();
    });
    const late = await createMongoStateAdapter({ stateProvider: { ...provider, database } });
    const types = [{ typeName: "task", leaseMs: 1, limit: 2 }];
    const { jobs: taken } = await late.acquireJobs({ workerId: "late", limit: 2, types });
    expect(taken).toEqual([]);
    expect(paused).toBe(1);
    await client.close();
    await drop();
  });
});
