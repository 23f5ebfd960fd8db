import { providedMongodb } from "@queuert/test-services/provided";
import { type Db, MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter, MongoIndexDriftError } from "../src/index.ts";
import type { MongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

let client: MongoClient;
let database: Db;
let adapter: MongoStateAdapter<object, object>;

beforeEach(async () => {
  const { url, name } = await providedMongodb().createDatabase();
  client = new MongoClient(url);
  database = client.db(name);
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  adapter = await createMongoStateAdapter({ stateProvider });
});
afterEach(async () => {
  await database.dropDatabase();
  await client.close();
});

const indexNames = async (): Promise<readonly string[]> =>
  (await database.collection("queuert_jobs").indexes()).map(({ name }) => name ?? "").sort();

describe("migrateToLatest", () => {
  it("says what it would create, and creates nothing, in a dry run", async () => {
    const { created } = await adapter.migrateToLatest({ dryRun: true });
    expect(created).toContain("queuert_jobs.claim");
    expect(await database.listCollections().toArray()).toEqual([]);
    expect((await adapter.migrateToLatest()).created).toEqual(created);
  });

  it("does nothing the second time", async () => {
    await adapter.migrateToLatest();
    const names = await indexNames();
    expect(await adapter.migrateToLatest()).toEqual({ created: [], foreign: [] });
    expect(await indexNames()).toEqual(names);
  });

  it("may be run by many processes at the same time", async () => {
    await Promise.all(Array.from({ length: 8 }, () => adapter.migrateToLatest()));
    expect((await adapter.migrateToLatest({ dryRun: true })).created).toEqual([]);
  });

  it("reports an index that is not as it was made, and leaves it", async () => {
    await adapter.migrateToLatest();
    const jobs = database.collection("queuert_jobs");
    await jobs.dropIndex("claim");
    await jobs.createIndex({ typeName: 1 }, { name: "claim" });
    const refused = await adapter.migrateToLatest().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MongoIndexDriftError);
    expect(refused).toMatchObject({ differences: ["queuert_jobs.claim"] });
  });

  it("keeps indexes of others, and names them", async () => {
    await adapter.migrateToLatest();
    await database.collection("queuert_jobs").createIndex({ input: 1 }, { name: "mine" });
    expect(await adapter.migrateToLatest()).toEqual({
      created: [],
      foreign: ["queuert_jobs.mine"],
    });
    expect(await indexNames()).toContain("mine");
  });
});
