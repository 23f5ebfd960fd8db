import type { NotifyAdapter } from "queuert";
import {
  extendWithNotify,
  type NotifyAdapterHarness,
  type NotifyNetwork,
  type NotifyTestContext,
} from "queuert/testing";
import type { TestAPI } from "vitest";
import { createPgNotifyAdapter, type PgNotifyAdapterOptions } from "../create-pg-notify-adapter.ts";
import type { PgNotifyProvider } from "../notify-provider.ts";

/** A provider on connections of its own. */
export interface TestNotifyConnection {
  readonly provider: PgNotifyProvider;
  readonly close: () => Promise<void>;
}

export interface NotifyPostgresOptions {
  /** Connects to the same database each time it is called. */
  readonly connect: () => Promise<TestNotifyConnection>;
  /** A new prefix, each time it is called. */
  readonly channelPrefix: () => string;
  readonly adapter?: Omit<PgNotifyAdapterOptions, "provider" | "channelPrefix"> | undefined;
  /** How to cut the connections, for the suites about lost ones. */
  readonly breakConnections?: NotifyNetwork["breakConnections"] | undefined;
}

const topics = { jobScheduled: "sched", sequenceCompleted: "seqc", ownershipLost: "owls" };

/** Opens adapters on the same channels, two to begin with, each with connections of its own. */
export const openNotifyPostgres = async (
  options: NotifyPostgresOptions,
): Promise<NotifyAdapterHarness> => {
  const channelPrefix = options.channelPrefix();
  const closing: (() => Promise<void>)[] = [];
  const open = async ({ provider, close }: TestNotifyConnection): Promise<NotifyAdapter> => {
    const adapter = await createPgNotifyAdapter({ ...options.adapter, provider, channelPrefix });
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
      publishRaw: (topic, text) =>
        first.provider.publish(`${channelPrefix}_${topics[topic]}`, [text]),
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
};

/** Tests with notifications over PostgreSQL. */
export const extendWithPostgresNotify = <TContext extends object>(
  it: TestAPI<TContext>,
  options: NotifyPostgresOptions,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, () => openNotifyPostgres(options));
