import { setTimeout as sleep } from "node:timers/promises";
import { providedRedis, providedRedisCluster } from "@queuert/test-services/provided";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { clusterClients, type OpenedClient, singleClients } from "./clients.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const clients: readonly (readonly [string, () => Promise<OpenedClient>])[] = [
  ...singleClients.map(([name, open]) => [name, () => open(providedRedis().url)] as const),
  ...clusterClients.map(
    ([name, open]) => [`${name}, cluster`, () => open(providedRedisCluster().nodes)] as const,
  ),
];

describe.each(clients)("hints over %s", (_name, open) => {
  const openAdapter = async (channelPrefix: string) => {
    const client = await open();
    const errors: unknown[] = [];
    const adapter = await createRedisNotifyAdapter({
      provider: client.provider,
      channelPrefix,
      onError: (error) => errors.push(error),
    });
    closing.push(async () => {
      await adapter.close();
      await client.ping();
      await client.close();
    });
    return { adapter, client, errors };
  };

  /** One more listener: a single other process needs no hint. */
  const listenSaturated = async ({ adapter }: Awaited<ReturnType<typeof openAdapter>>) => {
    await adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: () => undefined,
      demand: () => 0,
    });
  };

  it("wakes about as many listeners as there are jobs, over all processes", async () => {
    const prefix = providedRedis().namespace();
    const sender = await openAdapter(prefix);
    const receivers = [await openAdapter(prefix), await openAdapter(prefix)];
    const woken: string[] = [];
    for (const [index, { adapter }] of receivers.entries()) {
      for (let worker = 0; worker < 5; worker += 1) {
        await adapter.listenJobScheduled({
          typeNames: ["email"],
          onJobScheduled: () => woken.push(`${index}-${worker}`),
        });
      }
    }
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 3 }]);
    await vi.waitFor(() => {
      expect(woken.length).toBe(3);
      expect(receivers.every(({ adapter }) => adapter.stats().received === 1)).toBe(true);
    });
    await sleep(50);
    expect(woken.length).toBe(3);
    expect([...receivers, sender].flatMap(({ errors }) => errors)).toEqual([]);
  });

  it("goes on after SCRIPT FLUSH", async () => {
    const prefix = providedRedis().namespace();
    const sender = await openAdapter(prefix);
    const receiver = await openAdapter(prefix);
    await listenSaturated(await openAdapter(prefix));
    const woken: string[] = [];
    await receiver.adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: (typeName) => woken.push(typeName),
    });
    for (let round = 1; round <= 5; round += 1) {
      await sender.client.provider.command(["SCRIPT", "FLUSH"], undefined);
      await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
      await vi.waitFor(() => {
        expect(woken.length).toBe(round);
      });
    }
    expect(receiver.adapter.stats()).toMatchObject({ hintsTaken: 5, hintsGuessed: 0 });
    expect([...sender.errors, ...receiver.errors]).toEqual([]);
  });

  it("asks the only other process nothing, except in a cluster, until there is one more", async () => {
    const prefix = providedRedis().namespace();
    const sender = await openAdapter(prefix);
    const receiver = await openAdapter(prefix);
    await listenSaturated(sender);
    let woken = 0;
    for (let worker = 0; worker < 5; worker += 1) {
      await receiver.adapter.listenJobScheduled({
        typeNames: ["email"],
        onJobScheduled: () => (woken += 1),
      });
    }
    let told = 0;
    const tell = async (count: number): Promise<number> => {
      await sender.adapter.notifyJobScheduled([{ typeName: "email", count }]);
      told += count;
      await vi.waitFor(() => {
        expect(woken).toBe(told);
      });
      await sleep(50);
      expect(woken).toBe(told);
      return receiver.adapter.stats().hintsTaken;
    };
    const { isCluster } = sender.client.provider;
    // How many there are is known from the first message on.
    expect(await tell(1)).toBe(1);
    expect(await tell(2)).toBe(isCluster ? 3 : 1);
    await listenSaturated(await openAdapter(prefix));
    expect(await tell(1)).toBe(isCluster ? 4 : 1);
    expect(await tell(2)).toBe(isCluster ? 6 : 3);
    expect([...sender.errors, ...receiver.errors]).toEqual([]);
  });

  it("keeps a hint without a taker until it expires, and deletes a used one", async () => {
    const prefix = providedRedis().namespace();
    const sender = await openAdapter(prefix);
    const receiver = await openAdapter(prefix);
    let room = 2;
    await receiver.adapter.listenJobScheduled({
      typeNames: ["email", "sms"],
      onJobScheduled: () => undefined,
      demand: () => room,
    });
    const hintIds: string[] = [];
    const spy = await openAdapter(prefix);
    await spy.client.provider
      .connectSubscriber({
        onMessage: (_channel, text) => {
          const { hint }: { hint?: string } = JSON.parse(text);
          if (hint !== undefined) hintIds.push(hint);
        },
        onLost: () => undefined,
      })
      .then(async (connection) => {
        closing.push(async () => connection.close());
        await connection.subscribe(`${prefix}:sched`);
      });
    const left = async (hintId: string | undefined): Promise<unknown> => {
      const key = `${prefix}:hint:${hintId}`;
      const reply = await spy.client.provider.command(["HGET", key, "email"], key);
      return reply === null ? null : String(reply);
    };

    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 2 }]);
    await vi.waitFor(async () => {
      expect(hintIds.length).toBe(1);
      expect(await left(hintIds[0])).toBe(null);
    });
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 5 }]);
    await vi.waitFor(async () => {
      expect(hintIds.length).toBe(2);
      expect(await left(hintIds[1])).toBe("3");
    });
    room = 0;
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 5 }]);
    await vi.waitFor(() => {
      expect(hintIds.length).toBe(3);
    });
    await sleep(50);
    expect(await left(hintIds[2])).toBe("5");
    const key = `${prefix}:hint:${hintIds[2]}`;
    const ttlMs = Number(await spy.client.provider.command(["PTTL", key], key));
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(30_000);
  });
});
