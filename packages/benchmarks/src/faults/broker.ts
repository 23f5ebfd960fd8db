import type { NotifyAdapter } from "queuert";

/** One way to fail. `begin` may end by itself; what it returns ends it. */
export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<() => Promise<void>>;
}

export interface OpenedNotify {
  readonly notifyAdapter: NotifyAdapter;
  readonly close: () => Promise<void>;
}

export interface FaultyBroker {
  readonly name: string;
  readonly faults: readonly Fault[];
  /** An adapter on a connection of its own, at the prefix of this run. */
  readonly open: (prefix: string) => Promise<OpenedNotify>;
  readonly close: () => Promise<void>;
}
