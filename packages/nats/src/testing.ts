// `@queuert/nats/testing`: the suites of `queuert/testing` on NATS.
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

/** Opens two adapters on the same subjects, each with a connection of its own. */
export const openNatsNotify = async (options: NatsNotifyOptions): Promise<NotifyAdapterHarness> => {
  const subjectPrefix = options.subjectPrefix();
  const connections = [await options.connect(), await options.connect()] as const;
  const open = ({ nc }: TestConnection) => createNatsNotifyAdapter({ nc, subjectPrefix });
  const notifyAdapter = await open(connections[0]);
  const secondNotifyAdapter = await open(connections[1]);
  const { breakConnections } = options;
  return {
    notifyAdapter,
    secondNotifyAdapter,
    network: breakConnections && {
      breakConnections,
      publishRaw: async (topic, text) => {
        connections[0].nc.publish(`${subjectPrefix}.${suffixes[topic]}`, text);
        await connections[0].nc.flush();
      },
    },
    close: async () => {
      await Promise.all([notifyAdapter.close(), secondNotifyAdapter.close()]);
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
};

/** Tests with notifications over NATS. */
export const extendWithNatsNotify = <TContext extends object>(
  it: TestAPI<TContext>,
  options: NatsNotifyOptions,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, () => openNatsNotify(options));
