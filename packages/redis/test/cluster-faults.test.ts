// A cluster loses a master: its replica takes over, and until then part of the slots, and with them of the hints, is away.
import { type RedisClusterService, startRedisCluster } from "@queuert/test-services/redis-cluster";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { clusterClients } from "./clients.ts";

let cluster: RedisClusterService;
beforeEach(async () => {
  cluster = await startRedisCluster({ exclusive: true, withReplicas: true });
});
const masterCount = 3;
/** A message of the meantime may be lost. Then it is sent again. */
const oneTryMs = 1_000;

const masterWithSubscribers = async (channel: string) => {
  for (const node of cluster.nodes.slice(0, masterCount)) {
    const client = new Redis({ host: node.host, port: node.port });
    const [, count] = (await client.pubsub("NUMSUB", channel)) as [string, number];
    client.disconnect();
    if (count > 0) return node;
  }
  throw new Error("No listener is connected to a master");
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await cluster.close();
});

describe.each(clusterClients)("failover with %s", (_name, open) => {
  const openAdapter = async (channelPrefix: string) => {
    const client = await open(cluster.nodes);
    const adapter = await createRedisNotifyAdapter({
      provider: client.provider,
      channelPrefix,
      pingIntervalMs: 500,
    });
    closing.push(async () => {
      await adapter.close();
      await client.close();
    });
    return adapter;
  };

  it("goes on, whichever node the listener was connected to", { timeout: 60_000 }, async () => {
    const prefix = cluster.namespace();
    const notifier = await openAdapter(prefix);
    // Enough listeners for some of them to sit on the node that will be lost.
    const listeners = await Promise.all(Array.from({ length: 16 }, () => openAdapter(prefix)));
    const heard = listeners.map(() => 0);
    for (const [index, adapter] of listeners.entries()) {
      await adapter.listenJobSequenceCompleted({
        sequenceIds: ["a"],
        onSequenceCompleted: () => (heard[index] = (heard[index] ?? 0) + 1),
      });
      await adapter.listenJobScheduled({
        typeNames: ["email"],
        onJobScheduled: () => undefined,
        demand: () => 1,
      });
    }
    const everyoneHears = async (): Promise<void> => {
      heard.fill(0);
      await notifier.notifyJobSequenceCompleted(["a"]);
      await vi.waitFor(() => {
        expect(heard.every((count) => count > 0)).toBe(true);
      }, oneTryMs);
    };
    await everyoneHears();

    const lost = await masterWithSubscribers(`${prefix}:seqc`);
    await lost.kill();
    // While slots are missing, too: publishing needs none.
    await vi.waitFor(everyoneHears, { timeout: 20_000, interval: 100 });
    expect(listeners.some((adapter) => adapter.stats().reconnected > 0)).toBe(true);

    const taken = () => listeners.reduce((sum, adapter) => sum + adapter.stats().hintsTaken, 0);
    await vi.waitFor(
      async () => {
        const before = taken();
        await notifier.notifyJobScheduled([{ typeName: "email", count: 1 }]);
        await vi.waitFor(() => {
          expect(taken()).toBe(before + 1);
        }, oneTryMs);
      },
      { timeout: 20_000, interval: 100 },
    );
  });
});
