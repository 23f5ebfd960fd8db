// A process has one subscription for each subject, and none when the last listener has left.
import { providedNats } from "@queuert/test-services/provided";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNatsNotifyAdapter, type NatsConnection } from "../src/index.ts";
import { openNats, openNatsIo } from "./clients.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The subjects of the present subscriptions, without the one for replies to own offers. */
const countSubscriptions = (nc: NatsConnection): (() => readonly string[]) => {
  const active: string[] = [];
  const subscribe = nc.subscribe.bind(nc);
  nc.subscribe = (subject, options) => {
    const subscription = subscribe(subject, options);
    active.push(subject);
    const unsubscribe = subscription.unsubscribe.bind(subscription);
    subscription.unsubscribe = () => {
      active.splice(active.indexOf(subject), 1);
      unsubscribe();
    };
    return subscription;
  };
  return () => active.filter((subject) => !subject.endsWith("*")).toSorted();
};

const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: null; output: null } }>();

describe.each([
  ["nats", openNats],
  ["@nats-io", openNatsIo],
])("subscriptions with %s", (_name, open) => {
  const openAdapter = async (subjectPrefix: string) => {
    const { nc, close } = await open({ servers: providedNats().url });
    const subscribed = countSubscriptions(nc);
    const adapter = await createNatsNotifyAdapter({ nc, subjectPrefix });
    closing.push(async () => {
      await adapter.close();
      await close();
    });
    return { adapter, subscribed };
  };

  it("are one for each subject, however many workers and waiters, until the last leaves", async () => {
    const prefix = providedNats().namespace();
    const { adapter, subscribed } = await openAdapter(prefix);
    const stateAdapter = createInProcessStateAdapter();
    const storeId = await stateAdapter.getStoreId();
    const queuert = await createQueuert({
      stateAdapter,
      notifyAdapter: adapter,
      jobTypeDefinitions,
    });
    const start = () =>
      queuert.transaction((tx) =>
        queuert.startJobSequence({ ...tx, typeName: "task", input: null }),
      );
    const waitFor = ({ id }: { readonly id: string }) =>
      queuert.waitForJobSequenceCompletion({ id, typeName: "task", timeoutMs: 10_000 });
    const waiting = [await start(), await start(), await start()].map(waitFor);
    await vi.waitFor(() => expect(subscribed()).toEqual([`${prefix}.seqc.${storeId}`]));
    const startWorker = () =>
      queuert
        .createWorker()
        .implementJobType({ typeName: "task", process: async ({ complete }) => complete(null) })
        .start();
    const workers = [await startWorker(), await startWorker(), await startWorker()];
    await Promise.all(waiting);
    const ofWorkers = ["offer", "owls", "sched"].map((word) => `${prefix}.${word}.${storeId}`);
    await vi.waitFor(() => expect(subscribed()).toEqual(ofWorkers));
    for (const worker of workers.splice(1)) await worker.stop();
    expect(subscribed()).toEqual(ofWorkers);
    await workers[0]?.stop();
    expect(subscribed()).toEqual([]);
    await queuert.close();
  });

  it("receive nothing of another prefix", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const mine = await openAdapter(prefix);
    const others = [await openAdapter(`${prefix}.sched`), await openAdapter(`${prefix}2`)];
    const heard = [0, 0, 0];
    for (const [index, { adapter }] of [mine, ...others].entries()) {
      await adapter.listenJobScheduled({
        typeNames: ["email"],
        onJobScheduled: () => (heard[index] = (heard[index] ?? 0) + 1),
      });
    }
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(() => expect(heard[0]).toBe(1));
    expect(heard).toEqual([1, 0, 0]);
    expect(others.map(({ adapter }) => adapter.stats().ignored)).toEqual([0, 0]);
  });
});
