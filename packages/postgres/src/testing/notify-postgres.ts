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

/** Opens two adapters on the same channels, each with connections of its own. */
export const openNotifyPostgres = async (
  options: NotifyPostgresOptions,
): Promise<NotifyAdapterHarness> => {
  const channelPrefix = options.channelPrefix();
  const connections = [await options.connect(), await options.connect()] as const;
  const [notifyAdapter, secondNotifyAdapter] = await Promise.all(
    connections.map(({ provider }) =>
      createPgNotifyAdapter({ ...options.adapter, provider, channelPrefix }),
    ),
  );
  if (notifyAdapter === undefined) throw new Error("There are two connections.");
  const { breakConnections } = options;
  return {
    notifyAdapter,
    secondNotifyAdapter,
    network: breakConnections && {
      breakConnections,
      publishRaw: (topic, text) =>
        connections[0].provider.publish(`${channelPrefix}_${topics[topic]}`, [text]),
    },
    close: async () => {
      await Promise.all([notifyAdapter.close(), secondNotifyAdapter?.close()]);
      await Promise.all(connections.map(({ close }) => close()));
    },
  };
};

/** Tests with notifications over PostgreSQL. */
export const extendWithPostgresNotify = <TContext extends object>(
  it: TestAPI<TContext>,
  options: NotifyPostgresOptions,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, () => openNotifyPostgres(options));
