// Two applications on one Redis, both with the default prefix: neither receives the other's notifications.
import { providedRedis } from "@queuert/test-services/provided";
import { Redis } from "ioredis";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, expect, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { createIoredisNotifyProvider } from "../src/providers/ioredis.ts";

type InProcessStateAdapter = ReturnType<typeof createInProcessStateAdapter>;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: null; output: null } }>();

const openAdapter = async () => {
  const client = new Redis(providedRedis().url);
  const adapter = await createRedisNotifyAdapter({
    provider: createIoredisNotifyProvider({ client }),
  });
  closing.push(async () => {
    await adapter.close();
    client.disconnect();
  });
  return adapter;
};

/** A client of a store, as one process has it. */
const openClient = async (stateAdapter: InProcessStateAdapter) => {
  const notifyAdapter = await openAdapter();
  const queuert = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions });
  closing.push(() => queuert.close());
  return { queuert, notifyAdapter };
};

/** A process with an idle worker, which would find a job only by a notification. */
const openWorker = async (stateAdapter: InProcessStateAdapter) => {
  const client = await openClient(stateAdapter);
  const worker = await client.queuert
    .createWorker()
    .implementJobType({ typeName: "task", process: async ({ complete }) => complete(null) })
    .start({ pollIntervalMs: 60_000 });
  closing.push(() => worker.stop());
  return client;
};

it("a stranger's worker takes no hint of ours", { timeout: 20_000 }, async () => {
  const [store, strangers] = [createInProcessStateAdapter(), createInProcessStateAdapter()];
  const own = await openWorker(store);
  const foreign = [await openWorker(strangers), await openWorker(strangers)];
  const { queuert } = await openClient(store);
  for (let round = 0; round < 20; round += 1) {
    const { id } = await queuert.transaction((tx) =>
      queuert.startJobSequence({ ...tx, typeName: "task", input: null }),
    );
    // The poll interval is a minute, so a lost hint would end in a timeout.
    await queuert.waitForJobSequenceCompletion({ id, typeName: "task", timeoutMs: 5_000 });
  }
  const { hintsMissed, ignored } = own.notifyAdapter.stats();
  expect({ hintsMissed, ignored }).toEqual({ hintsMissed: 0, ignored: 0 });
  for (const { notifyAdapter } of foreign) {
    expect(notifyAdapter.stats()).toMatchObject({ received: 0, ignored: 0, hintsTaken: 0 });
  }
});
