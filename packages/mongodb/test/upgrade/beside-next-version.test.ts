// During a deployment the next release migrates, and processes of this release start anew on its collections. They run jobs
// there, and their own migration has nothing to do.
import { randomUUID } from "node:crypto";
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import {
  blockersTestSuite,
  extendWithCommon,
  extendWithNotifyNoop,
  extendWithState,
} from "queuert/testing";
import { describe, expect, it as vitestIt } from "vitest";
import { createMongoStateAdapter } from "../../src/index.ts";
import { createMongodbProvider } from "../../src/providers/mongodb.ts";
import { openStateMongodb } from "../../src/testing.ts";

/** A migration as a release may have it: an index, a collection, and fields that this release does not know. */
const migrateToNext = async (url: string, databaseName: string): Promise<readonly unknown[]> => {
  const client = new MongoClient(url);
  const stateProvider = createMongodbProvider({ client, databaseName });
  const adapter = await createMongoStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  const database = client.db(databaseName);
  const jobs = database.collection<{ _id: string }>("queuert_jobs");
  await jobs.createIndex({ progress: 1 }, { name: "progress", sparse: true });
  await database.createCollection("queuert_steps");
  const { created } = await adapter.migrateToLatest();
  await client.close();
  return created;
};

describe("on collections of the next release", () => {
  const it = extendWithNotifyNoop(
    extendWithState(extendWithCommon(vitestIt), async () => {
      const { url } = providedMongodb();
      const databaseName = `queuert_next_${randomUUID().slice(0, 8)}`;
      expect(await migrateToNext(url, databaseName)).toEqual([]);
      return openStateMongodb({ url, databaseName });
    }),
  );
  blockersTestSuite({ it });
});

vitestIt("reads and completes a job with a field of the next release", async () => {
  const { url, name } = await providedMongodb().createDatabase();
  const client = new MongoClient(url);
  try {
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    const adapter = await createMongoStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    const [created] = await adapter.createJobs({
      jobs: [
        {
          kind: "entry",
          typeName: "task",
          input: "1",
          schedule: null,
          priority: 0,
          awaitsBlockers: false,
          onBlockerFailure: "wait",
          traceContext: null,
          rootSequenceId: null,
          originId: null,
          deduplication: null,
        },
      ],
    });
    const jobs = client.db(name).collection<{ _id: string }>("queuert_jobs");
    await jobs.updateOne({ _id: created?.job.id ?? "" }, { $set: { progress: { step: 1 } } });
    const { jobs: acquired } = await adapter.acquireJobs({
      workerId: "w",
      limit: 1,
      types: [{ typeName: "task", leaseMs: 60_000, limit: 1 }],
    });
    expect(acquired).toMatchObject([{ job: { id: created?.job.id, input: "1" } }]);
    const { results } = await adapter.completeJobs({
      workerId: "w",
      completions: [
        {
          jobId: created?.job.id ?? "",
          leaseVersion: 1,
          outcome: { kind: "output", output: "2" },
        },
      ],
    });
    expect(results).toMatchObject([{ kind: "completed" }]);
    // The field stays for the next release.
    expect(await jobs.findOne()).toMatchObject({ progress: { step: 1 } });
  } finally {
    await client.db(name).dropDatabase();
    await client.close();
  }
});
