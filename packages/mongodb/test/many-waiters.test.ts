// Waiting must cost the server nothing. It has few tickets for writing, five on a small machine, and a
// write that waits inside the server keeps one. With more waiters than tickets all writes stood still for
// a minute. Attempts from outside cost CPU instead, so the waiters of one process share them.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { aJob, aKey, deferred, sleep, within } from "queuert/testing";
import { expect, it } from "vitest";
import { MongoTransactionAbortedError } from "../src/errors.ts";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const waiterCount = 64;

it.each(["commit", "rollback"] as const)(
  "other starts go on while 64 starts wait for one key, whose holder ends with a %s",
  { timeout: 120_000 },
  async (ends) => {
    const { url, name, drop } = await providedMongodb().createDatabase();
    const client = new MongoClient(url, { monitorCommands: true });
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    const adapter = await createMongoStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    const keyed = { jobs: [aJob({ deduplication: aKey("k") })] };
    let begun = 0;
    const start = () =>
      adapter.runInTransaction((context) => {
        begun++;
        return adapter.createJobs({ context, ...keyed });
      });
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
    const proposals = client
      .db(name)
      .collection<{ proposals: unknown[] }>("queuert_deduplication_keys");
    await expect
      .poll(async () => (await proposals.findOne())?.proposals.length, { timeout: 30_000 })
      .toBeGreaterThan(waiterCount);

    let attempts = 0;
    client.on("commandStarted", ({ commandName, command }) => {
      if (commandName === "update" && command["update"] === "queuert_waits") attempts++;
    });
    const startedAt = performance.now();
    const begunBefore = begun;
    for (let count = 0; count < 20; count += 1) {
      await within(adapter.createJobs({ jobs: [aJob({ typeName: "other" })] }), "a start", 20_000);
      await sleep(20);
    }
    const elapsedMs = performance.now() - startedAt;
    // One attempt each 12 ms at most, after the first few. And some for each waiter that began again.
    const restarts = begun - begunBefore;
    expect(attempts).toBeLessThan(elapsedMs / 10 + 10 + 4 * restarts);
    released.resolve(undefined);
    await within(holding, "the holder's end");
    const started = await within(Promise.all(waiting), "the waiters", 60_000);
    expect(new Set(started.map(([one]) => one?.job.id)).size).toBe(1);
    await client.close();
    await drop();
  },
);
