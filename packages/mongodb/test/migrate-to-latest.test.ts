// Migrations, and that a released one never changes.
import { createHash } from "node:crypto";
import { providedMongodb } from "@queuert/test-services/provided";
import { type Db, MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMongoStateAdapter, MongoIndexDriftError } from "../src/index.ts";
import type { MongoStateAdapter } from "../src/index.ts";
import { migrations } from "../src/migrations/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

// A released migration is never edited: make another one. Its checksum is added here with it.
const frozen: Record<string, string> = {
  "1 create-store": "2e2fc4f21e41fe1a3a6897af0c973c1ece2c34c7e45ad6f5b055c44724fe7729",
  "2 schedules": "55337437d6f992e398ede692888d039175eb8ae9f479a1236d3fa6303741e8aa",
  "3 operator": "6dbe37637ed2e42450418c7db10c8a7d57ad6741b96475b4947a704371b4fb26",
  "4 metrics": "3d68a9ccad502b6bf4420167f2746f33d7d0cefb5c7710c6dc00759aedce5495",
  "5 limits": "04412774254598c0e6ca767aed55a9ca48306ba35a67476313d192bd0ad49d14",
  "6 deadlines": "1857a7e3bc4bd75e0105387c0cf5db44213c8a9d9dca46322036753644b88186",
  "7 logs": "5aa4f9e58dfb2c36e6fceb2d26b9ebf2734f4588b8c55929e541b40db58492a3",
  "8 limit-keys": "dffe25d46efcf9f9d36fb52d4da7c73556a38d49a76144c806e7eb3da3b43fa4",
  "9 retried-jobs": "25b224955e2a50afe627198ed498430596373303b1e3bb57fc49dab2d3c69db7",
};

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
  it("has the text that was released", () => {
    const checksums = migrations.map(({ version, name, collections }) => [
      `${version} ${name}`,
      createHash("sha256").update(JSON.stringify(collections)).digest("hex"),
    ]);
    expect(Object.fromEntries(checksums)).toEqual(frozen);
    expect(migrations.map(({ version }) => version)).toEqual(
      migrations.map((_, index) => index + 1),
    );
  });

  it("reports the missing collections and indexes, and creates nothing, in a dry run", async () => {
    const { created } = await adapter.migrateToLatest({ dryRun: true });
    expect(created).toContain("queuert_jobs.due");
    expect(await database.listCollections().toArray()).toEqual([]);
    expect((await adapter.migrateToLatest()).created).toEqual(created);
  });

  it("does nothing the second time", async () => {
    await adapter.migrateToLatest();
    const names = await indexNames();
    expect(await adapter.migrateToLatest()).toEqual({ created: [], foreign: [] });
    expect(await indexNames()).toEqual(names);
  });

  it("runs in many processes at the same time", async () => {
    await Promise.all(Array.from({ length: 8 }, () => adapter.migrateToLatest()));
    expect((await adapter.migrateToLatest({ dryRun: true })).created).toEqual([]);
  });

  it("reports an index that was changed, and leaves it", async () => {
    await adapter.migrateToLatest();
    const jobs = database.collection("queuert_jobs");
    await jobs.dropIndex("due");
    await jobs.createIndex({ typeName: 1 }, { name: "due" });
    const refused = await adapter.migrateToLatest().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MongoIndexDriftError);
    expect(refused).toMatchObject({ differences: ["queuert_jobs.due"] });
  });

  it("keeps indexes of other applications, and names them", async () => {
    await adapter.migrateToLatest();
    await database.collection("queuert_jobs").createIndex({ input: 1 }, { name: "mine" });
    expect(await adapter.migrateToLatest()).toEqual({
      created: [],
      foreign: ["queuert_jobs.mine"],
    });
    expect(await indexNames()).toContain("mine");
  });
});
