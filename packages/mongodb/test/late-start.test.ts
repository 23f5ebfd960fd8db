// A start with a key reads its own snapshot and the committed documents. It must not return a sequence that
// was deleted between the two reads.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { aJob, aKey } from "queuert/testing";
import { expect, it } from "vitest";
import type { MongoDatabase } from "../src/state-provider.ts";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import { overrideCollections } from "./override-collections.ts";

/** The database, with a callback after each read of the sequence. */
const interrupted = (
  database: MongoDatabase,
  sequenceId: string,
  onSeen: () => Promise<void>,
): MongoDatabase =>
  overrideCollections(database, (collection) => ({
    aggregate: (pipeline, options) => ({
      toArray: async () => {
        const found = await collection.aggregate(pipeline, options).toArray();
        if (JSON.stringify(pipeline).includes(sequenceId)) await onSeen();
        return found;
      },
    }),
  }));

it("a deletion between the two reads of a start is not missed", async () => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url);
  const provider = createMongodbProvider({ client, databaseName: name });
  const other = await createMongoStateAdapter({ stateProvider: provider });
  await other.migrateToLatest();
  const keyed = aJob({ deduplication: aKey("k") });
  const [old] = await other.createJobs({ jobs: [keyed] });
  const oldId = old?.job.id ?? "";

  let looks = 0;
  const database = interrupted(provider.database, oldId, async () => {
    looks += 1;
    if (looks > 1) return;
    await other.runInTransaction((context) =>
      other.deleteSequences({ context, rootSequenceIds: [oldId] }),
    );
  });
  const late = await createMongoStateAdapter({ stateProvider: { ...provider, database } });
  const [started] = await late.createJobs({ jobs: [keyed] });
  expect(looks).toBeGreaterThanOrEqual(2);
  const [stored] = await other.getJobs({ ids: [started?.job.id ?? ""] });
  expect(stored?.id).toBe(started?.job.id);
  await client.close();
  await drop();
});
