import { setTimeout as sleep } from "node:timers/promises";
import { providedNats } from "@queuert/test-services/provided";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNatsNotifyAdapter, type NatsConnection } from "../src/index.ts";
import { openNats, openNatsIo } from "./clients.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** So that every message goes to all, and what is shared is shared in the bucket. */
const takeNoOffers = (nc: NatsConnection): void => {
  const subscribe = nc.subscribe.bind(nc);
  nc.subscribe = (subject, options) =>
    subject.endsWith(".offer") ? { unsubscribe: () => undefined } : subscribe(subject, options);
};

describe.each([
  ["nats", openNats],
  ["@nats-io", openNatsIo],
])("hints over %s", (_name, open) => {
  const openAdapter = async (subjectPrefix: string) => {
    const connection = await open({ servers: providedNats().url, bucket: subjectPrefix });
    takeNoOffers(connection.nc);
    const errors: unknown[] = [];
    const adapter = await createNatsNotifyAdapter({
      nc: connection.nc,
      kv: connection.kv,
      subjectPrefix,
      onError: (error) => errors.push(error),
    });
    closing.push(async () => {
      await adapter.close();
      await connection.nc.flush();
      await connection.close();
    });
    return { adapter, connection, errors };
  };

  it("wakes about as many listeners as there are jobs, over all processes", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const receivers = [await openAdapter(prefix), await openAdapter(prefix)];
    let woken = 0;
    for (const { adapter } of receivers) {
      for (let worker = 0; worker < 5; worker += 1) {
        await adapter.listenJobScheduled({
          typeNames: ["email"],
          onJobScheduled: () => (woken += 1),
        });
      }
    }
    for (let round = 1; round <= 20; round += 1) {
      await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 3 }]);
      await vi.waitFor(() => {
        expect(woken).toBe(3 * round);
      });
    }
    await sleep(50);
    expect(woken).toBe(60);
    expect([...receivers, sender].flatMap(({ errors }) => errors)).toEqual([]);
  });

  it("wakes at a guess when the bucket is gone", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const receiver = await openAdapter(prefix);
    let woken = 0;
    await receiver.adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: () => (woken += 1),
    });
    if (!("destroy" in sender.connection.kv)) throw new Error("not a bucket");
    const bucket: { destroy: () => Promise<boolean> } = Object(sender.connection.kv);
    await bucket.destroy();
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(() => {
      expect(woken).toBe(1);
    });
    expect(sender.errors.map(String)).toEqual([
      expect.stringContaining("A hint could not be stored"),
    ]);
  });

  it("a message waits for no bucket while an entry is ready, and its hint is shared all the same", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const receivers = [await openAdapter(prefix), await openAdapter(prefix)];
    let woken = 0;
    for (const { adapter } of receivers) {
      await adapter.listenJobScheduled({
        typeNames: ["email"],
        onJobScheduled: () => (woken += 1),
      });
    }
    const { kv } = sender.connection;
    const put = kv.put.bind(kv);
    let written = 0;
    kv.put = async (key, value) => {
      const revision = await put(key, value);
      written += 1;
      return revision;
    };
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(() => {
      expect([written, woken]).toEqual([2, 1]);
    });
    // From now on the bucket takes for ever to write to.
    kv.put = () => new Promise<number>(() => {});
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(() => {
      const stats = receivers.map(({ adapter }) => adapter.stats());
      const taken = stats.map(({ hintsTaken, hintsMissed }) => [hintsTaken, hintsMissed]);
      // Both have asked twice; each hint was for one.
      expect(taken.flat().reduce((sum, count) => sum + count, 0)).toBe(4);
      expect(taken.reduce((sum, [count = 0]) => sum + count, 0)).toBe(2);
    });
    expect(woken).toBe(2);
    expect([...receivers, sender].flatMap(({ errors }) => errors)).toEqual([]);
  });

  it("leaves no more keys behind than it has slots", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const seen: string[] = [];
    const put = sender.connection.kv.put.bind(sender.connection.kv);
    sender.connection.kv.put = (key, value) => {
      seen.push(key);
      return put(key, value);
    };
    for (let round = 0; round < 100; round += 1) {
      await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    }
    // One for each message, and one that is kept ready; whoever comes while that is being made makes its own.
    expect(seen.length).toBeGreaterThanOrEqual(100);
    expect(seen.length).toBeLessThanOrEqual(200);
    expect(new Set(seen).size).toBe(32);
  });
});
