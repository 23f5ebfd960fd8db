// A process has one connection for subscriptions and one subscription for each channel, and none when the last listener has
// left. This holds with different options of the given client.
import { providedRedis } from "@queuert/test-services/provided";
import { Redis } from "ioredis";
import { Redis as Redis6 } from "ioredis-6";
import {
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  type NotifyAdapter,
} from "queuert";
import { createClient } from "redis";
import { createClient as createClient5 } from "redis-5";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRedisNotifyAdapter, type RedisNotifyProvider } from "../src/index.ts";
import { createIoredisNotifyProvider } from "../src/providers/ioredis.ts";
import {
  createNodeRedisNotifyProvider,
  type NodeRedisSingle,
} from "../src/providers/node-redis.ts";
import { singleClients } from "./clients.ts";

let admin: Redis;
beforeEach(() => {
  admin = new Redis(providedRedis().url);
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  admin.disconnect();
});

const suffixes = ["sched", "seqc", "owls"] as const;

/** How many connections subscribe to each channel of a store. */
const subscribersOf = async (prefix: string, storeId: string): Promise<readonly number[]> => {
  const channels = suffixes.map((suffix) => `${prefix}:${suffix}:${storeId}`);
  const reply = await admin.pubsub("NUMSUB", ...channels);
  return [Number(reply[1]), Number(reply[3]), Number(reply[5])];
};

const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: null; output: null } }>();

describe.each(singleClients)("subscriptions with %s", (_name, open) => {
  it("are one for each channel, however many workers and waiters, until the last leaves", async () => {
    const prefix = providedRedis().namespace();
    const { provider, ping, close } = await open(providedRedis().url);
    const adapter = await createRedisNotifyAdapter({ provider, channelPrefix: prefix });
    closing.push(async () => {
      await adapter.close();
      await ping();
      await close();
    });
    const stateAdapter = createInProcessStateAdapter();
    const storeId = await stateAdapter.getStoreId();
    const untilSubscribers = (expected: readonly number[]): Promise<void> =>
      vi.waitFor(async () => expect(await subscribersOf(prefix, storeId)).toEqual(expected));
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
    await untilSubscribers([0, 1, 0]);
    const startWorker = () =>
      queuert
        .createWorker()
        .implementJobType({ typeName: "task", process: async ({ complete }) => complete(null) })
        .start();
    const workers = [await startWorker(), await startWorker(), await startWorker()];
    await Promise.all(waiting);
    await untilSubscribers([1, 0, 1]);
    for (const worker of workers.splice(1)) await worker.stop();
    await untilSubscribers([1, 0, 1]);
    await workers[0]?.stop();
    await untilSubscribers([0, 0, 0]);
    await queuert.close();
  });
});

interface Given {
  readonly provider: RedisNotifyProvider;
  readonly close: () => void;
}

/** The options that both versions have. */
interface IoredisOptions {
  readonly lazyConnect?: boolean;
  readonly enableOfflineQueue?: boolean;
  readonly enableAutoPipelining?: boolean;
  readonly keyPrefix?: string;
  readonly db?: number;
}

const ioredis = (options: IoredisOptions) => async (): Promise<Given> => {
  const client = new Redis(providedRedis().url, options);
  return {
    provider: createIoredisNotifyProvider({ client }),
    close: () => client.disconnect(),
  };
};

const ioredis6 = (options: IoredisOptions) => async (): Promise<Given> => {
  const client = new Redis6(providedRedis().url, options);
  return {
    provider: createIoredisNotifyProvider({ client }),
    close: () => client.disconnect(),
  };
};

const nodeRedis = (make: (url: string) => NodeRedisSingle) => async (): Promise<Given> => {
  const client = make(providedRedis().url);
  await client.connect();
  return { provider: createNodeRedisNotifyProvider({ client }), close: () => client.destroy() };
};

const givenClients: readonly (readonly [name: string, open: () => Promise<Given>])[] = [
  ["ioredis 5, lazyConnect", ioredis({ lazyConnect: true })],
  ["ioredis 6, lazyConnect", ioredis6({ lazyConnect: true })],
  ["ioredis 5, no offline queue", ioredis({ enableOfflineQueue: false })],
  ["ioredis 6, no offline queue", ioredis6({ enableOfflineQueue: false })],
  ["ioredis 5, keyPrefix", ioredis({ keyPrefix: "app:" })],
  ["ioredis 6, keyPrefix", ioredis6({ keyPrefix: "app:" })],
  ["ioredis 5, automatic pipelines", ioredis({ enableAutoPipelining: true })],
  ["ioredis 5, another database", ioredis({ db: 3 })],
  [
    "redis 5, no offline queue",
    nodeRedis((url) => createClient5({ url, disableOfflineQueue: true })),
  ],
  [
    "redis 6, no offline queue",
    nodeRedis((url) => createClient({ url, disableOfflineQueue: true })),
  ],
  ["redis 6, RESP 3", nodeRedis((url) => createClient({ url, RESP: 3 }))],
  ["redis 6, another database", nodeRedis((url) => createClient({ url, database: 3 }))],
];

const listen = async (adapter: NotifyAdapter, heard: string[]): Promise<void> => {
  await adapter.listenJobScheduled({
    typeNames: ["email"],
    onJobScheduled: (typeName) => heard.push(typeName),
  });
};

describe("a client that was given", () => {
  const openAdapter = async (open: () => Promise<Given>, channelPrefix: string) => {
    const { provider, close } = await open();
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const adapter = await createRedisNotifyAdapter({ provider, channelPrefix, onError });
    closing.push(async () => {
      await adapter.close();
      close();
    });
    return { adapter, errors };
  };

  it.each(givenClients)("with options of its own does: %s", async (_name, open) => {
    const prefix = providedRedis().namespace();
    // Three, so that hints are asked for.
    const [sender, ...receivers] = [
      await openAdapter(open, prefix),
      await openAdapter(open, prefix),
      await openAdapter(open, prefix),
    ];
    const heard: string[] = [];
    for (const { adapter } of receivers) await listen(adapter, heard);
    // A client without an offline queue refuses commands before it is connected.
    await vi.waitFor(() => sender?.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]));
    const taken = () => receivers.reduce((sum, { adapter }) => sum + adapter.stats().hintsTaken, 0);
    await vi.waitFor(() => expect([heard.length, taken()]).toEqual([1, 1]));
    expect(receivers.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it("in subscriber mode says so, and listens all the same", async () => {
    const prefix = providedRedis().namespace();
    const { adapter } = await openAdapter(async () => {
      const client = new Redis(providedRedis().url);
      await client.subscribe(`${prefix}:mine`);
      return {
        provider: createIoredisNotifyProvider({ client }),
        close: () => client.disconnect(),
      };
    }, prefix);
    await expect(adapter.notifyJobScheduled([{ typeName: "email", count: 1 }])).rejects.toThrow(
      "subscriber mode",
    );
    const heard: string[] = [];
    await listen(adapter, heard);
    const other = await openAdapter(ioredis({}), prefix);
    await other.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(() => expect(heard.length).toBeGreaterThan(0));
  });

  it("hears nothing of another prefix", async () => {
    const prefix = providedRedis().namespace();
    const mine = await openAdapter(ioredis({}), prefix);
    const others = [
      await openAdapter(ioredis({}), `${prefix}:sched`),
      await openAdapter(ioredis({}), `${prefix}2`),
    ];
    const heard: string[] = [];
    for (const { adapter } of others) await listen(adapter, heard);
    const own: string[] = [];
    const sender = await openAdapter(ioredis({}), prefix);
    await listen(mine.adapter, own);
    await sender.adapter.notifyJobScheduled([{ typeName: "email", count: 5 }]);
    await vi.waitFor(() => expect(own).toHaveLength(1));
    expect(heard).toEqual([]);
    expect(others.map(({ adapter }) => adapter.stats().ignored)).toEqual([0, 0]);
  });
});
