// `@queuert/redis/testing`: the suites of `queuert/testing` on Redis.
import type { NotifyAdapter } from "queuert";
import {
  extendWithNotify,
  type NotifyAdapterHarness,
  type NotifyNetwork,
  type NotifyTestContext,
} from "queuert/testing";
import type { TestAPI } from "vitest";
import { createRedisNotifyAdapter, type RedisNotifyAdapterOptions } from "./index.ts";
import type { RedisNotifyProvider } from "./redis-provider.ts";

/** A provider on a client of its own. */
export interface TestClient {
  readonly provider: RedisNotifyProvider;
  readonly close: () => Promise<void>;
}

export interface NotifyRedisOptions {
  /** Connects to the same server or cluster each time it is called. */
  readonly connect: () => Promise<TestClient>;
  /** Returns an unused prefix each time it is called. */
  readonly channelPrefix: () => string;
  readonly adapter?: Omit<RedisNotifyAdapterOptions, "provider" | "channelPrefix"> | undefined;
  /** How to cut the connections, for the suites about lost ones. */
  readonly breakConnections?: NotifyNetwork["breakConnections"] | undefined;
}

const suffixes = { jobScheduled: "sched", sequenceCompleted: "seqc", ownershipLost: "owls" };

/** Opens adapters on the same channels, two to begin with, each with a client of its own. */
export const openNotifyRedis = async (
  options: NotifyRedisOptions,
): Promise<NotifyAdapterHarness> => {
  const channelPrefix = options.channelPrefix();
  const closing: (() => Promise<void>)[] = [];
  const open = async ({ provider, close }: TestClient): Promise<NotifyAdapter> => {
    const adapter = await createRedisNotifyAdapter({ ...options.adapter, provider, channelPrefix });
    closing.push(async () => {
      await adapter.close();
      await close();
    });
    return adapter;
  };
  const first = await options.connect();
  const notifyAdapter = await open(first);
  const secondNotifyAdapter = await open(await options.connect());
  const { breakConnections } = options;
  return {
    notifyAdapter,
    secondNotifyAdapter,
    network: breakConnections && {
      openAdapter: async () => open(await options.connect()),
      breakConnections,
      publishRaw: async (topic, text) => {
        const words = ["PUBLISH", `${channelPrefix}:${suffixes[topic]}`, text] as const;
        await first.provider.command(words, undefined);
      },
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
};

/** Tests with notifications over Redis. */
export const extendWithNotifyRedis = <TContext extends object>(
  it: TestAPI<TContext>,
  options: NotifyRedisOptions,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, () => openNotifyRedis(options));
