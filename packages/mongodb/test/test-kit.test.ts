import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { createMongoTimeTravel } from "@queuert/mongodb/test";
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { type TestKitStore, testKitSuite } from "queuert/testing";
import { expect, it } from "vitest";

let storeCount = 0;

testKitSuite({
  open: async (): Promise<TestKitStore> => {
    const client = new MongoClient(providedMongodb().url);
    const databaseName = `queuert_test_kit_${process.pid}_${++storeCount}`;
    const stateProvider = createMongodbProvider({ client, databaseName });
    const stateAdapter = await createMongoStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    return {
      stateAdapter: stateAdapter as unknown as TestKitStore["stateAdapter"],
      timeTravel: createMongoTimeTravel(stateAdapter),
      close: async () => {
        await client.db(databaseName).dropDatabase();
        await client.close();
      },
    };
  },
});

it("refuses an adapter of another store", () => {
  expect(() => createMongoTimeTravel({})).toThrow("not a copy");
});
