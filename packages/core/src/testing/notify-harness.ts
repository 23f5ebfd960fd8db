import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import { defineSuite } from "./suite.ts";
import type { Suite, SuiteRule } from "./suite.ts";

/** One of the three kinds of notifications. */
export type NotifyTopic = "jobScheduled" | "sequenceCompleted" | "ownershipLost";

/** The transport behind the adapters: further processes on it, and the faults that a suite applies to it. */
export interface NotifyNetwork {
  /** Opens one more adapter on the same channels, as a third process has it. It is closed with the harness. */
  readonly openAdapter: () => Promise<NotifyAdapter>;
  /** Cuts every connection of both adapters, as a restart of the broker does, and lets them come back. */
  readonly breakConnections: () => Promise<void>;
  /**
   * Sends a text that no adapter has made on the channel of a topic, of adapters that are not bound to a store. Rejects if
   * the text is too large for the transport.
   */
  readonly publishRaw: (topic: NotifyTopic, text: string) => Promise<void>;
}

/** The parts that the author of a notify adapter provides to run the notify suites. */
export interface NotifyAdapterHarness {
  readonly notifyAdapter: NotifyAdapter;
  /** Another instance on the same transport, as another process has it; left out where there is no transport. */
  readonly secondNotifyAdapter?: NotifyAdapter | undefined;
  /** Left out by an adapter without connections: the suites are then registered with `network: false`. */
  readonly network?: NotifyNetwork | undefined;
  /** Removes the state of earlier tests. With it, one harness serves a whole test file. */
  readonly clear?: (() => Promise<void>) | undefined;
  /** Closes both adapters, and their connections. */
  readonly close: () => Promise<void>;
}

/** The fixtures of each case of a notify suite. */
export interface NotifyCaseContext {
  readonly notifyAdapter: NotifyAdapter;
  /** The same adapter where there is no transport. */
  readonly secondNotifyAdapter: NotifyAdapter;
  readonly network: NotifyNetwork;
}

export type NotifySuite = Suite<NotifyCaseContext>;

export const defineNotifySuite = (
  name: string,
  define: (rule: SuiteRule<NotifyCaseContext>) => void,
): NotifySuite => defineSuite(name, define);

const noNetwork: NotifyNetwork = {
  openAdapter: () => Promise.reject(new Error(missingNetwork)),
  breakConnections: () => Promise.reject(new Error(missingNetwork)),
  publishRaw: () => Promise.reject(new Error(missingNetwork)),
};
const missingNetwork = "The harness gives no `network`: register the suites with `network: false`.";

/** Runs one case against a harness. */
export const runNotifyCase = (
  run: (context: NotifyCaseContext) => Promise<void>,
  { notifyAdapter, secondNotifyAdapter = notifyAdapter, network = noNetwork }: NotifyAdapterHarness,
): Promise<void> => run({ notifyAdapter, secondNotifyAdapter, network });
