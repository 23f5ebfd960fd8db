// `@queuert/nats/testing`: the suites of `queuert/testing` on NATS.
import type { NotifyAdapter } from "queuert";
import {
  extendWithNotify,
  type NotifyAdapterHarness,
  type NotifyNetwork,
  type NotifyTestContext,
} from "queuert/testing";
import type { TestAPI } from "vitest";
import { createNatsNotifyAdapter, type NatsConnection } from "./index.ts";

/** A connection of its own. */
export interface TestConnection {
  readonly nc: NatsConnection;
  readonly close: () => Promise<void>;
}

export interface NatsNotifyOptions {
  /** Connects to the same servers each time it is called. */
  readonly connect: () => Promise<TestConnection>;
  /** Returns an unused prefix each time it is called. */
  readonly subjectPrefix: () => string;
  /** How to cut the connections, for the suites about lost ones. */
  readonly breakConnections?: NotifyNetwork["breakConnections"] | undefined;
}

const suffixes = { jobScheduled: "sched", sequenceCompleted: "seqc", ownershipLost: "owls" };

/** Opens adapters on the same subjects, two to begin with, each with a connection of its own. */
export const openNatsNotify = async (options: NatsNotifyOptions): Promise<NotifyAdapterHarness> => {
  const subjectPrefix = options.subjectPrefix();
  const closing: (() => Promise<void>)[] = [];
  const open = async ({ nc, close }: TestConnection): Promise<NotifyAdapter> => {
    const adapter = await createNatsNotifyAdapter({ nc, subjectPrefix });
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
        first.nc.publish(`${subjectPrefix}.${suffixes[topic]}`, text);
        await first.nc.flush();
      },
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
};

/** Tests with notifications over NATS. */
export const extendWithNatsNotify = <TContext extends object>(
  it: TestAPI<TContext>,
  options: NatsNotifyOptions,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, () => openNatsNotify(options));
