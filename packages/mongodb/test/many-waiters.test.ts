// Waiting must not cost the server anything: it has few tickets for writing (five on a small machine), and who waits inside of
// it keeps one. With more waiters than tickets it stood still for a minute, for everybody.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { aJob, aKey, deferred, sleep, within } from "queuert/testing";
import { expect, it } from "vitest";
import { MongoTransactionAbortedError } from "../src/errors.ts";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const waiterCount = 64;

it.each(["commit", "rollback"] as const)(
  "the server serves others while many wait for one key, which ends with a %s",
  { timeout: 60_000 },
  async (ends) => {
    const { url, name, drop } = await providedMongodb().createDatabase();
    const client = new MongoClient(url);
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    const adapter = await createMongoStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    const keyed = { jobs: [aJob({ deduplication: aKey("k") })] };
    const start = () =>
      adapter.runInTransaction((context) => adapter.createJobs({ context, ...keyed }));
    const startAgainOnConflict = async (): ReturnType<typeof start> => {
      for (;;) {
        try {
          return await start();
        } catch (error) {
          if (!(error instanceof MongoTransactionAbortedError)) throw error;
          await sleep(5);
        }
      }
    };

    const [created, released] = [deferred<undefined>(), deferred<undefined>()];
    const holding = adapter
      .runInTransaction(async (context) => {
        await adapter.createJobs({ context, ...keyed });
        created.resolve(undefined);
        await released.promise;
        if (ends === "rollback") throw new Error("changed its mind");
      })
      .catch(() => undefined);
    await within(created.promise, "the holder of the key");
    const waiting = Array.from({ length: waiterCount }, startAgainOnConflict);

    // Others, while all of them wait.
    for (let count = 0; count < 20; count += 1) {
      await within(adapter.createJobs({ jobs: [aJob({ typeName: "other" })] }), "a start", 2_000);
      await sleep(20);
    }
    released.resolve(undefined);
    await within(holding, "the holder's end");
    const started = await within(Promise.all(waiting), "those who waited", 30_000);
    expect(new Set(started.map(([one]) => one?.job.id)).size).toBe(1);
    await client.close();
    await drop();
  },
);
