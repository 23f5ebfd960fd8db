// The messages between a soak and its processes.
import type { NotifyName } from "../notify/transport.ts";
import type { StoreName } from "../stores/store.ts";

export interface SoakConfig {
  readonly name: string;
  readonly role: "starter" | "worker";
  readonly store: StoreName;
  readonly storeUrl: string;
  readonly notify: NotifyName;
  readonly notifyUrl: string;
  /** Sequences that a starter starts in a second. */
  readonly perSecond: number;
  readonly retentionMs: number;
}

export type SoakOrder = { readonly do: "measure" | "stopStarting" | "close" };

/** Of one process, since it was asked before. */
export interface Measured {
  readonly said: "measured";
  readonly started: number;
  readonly completed: number;
  /** Milliseconds from the start of each job that began until its process function ran, unsorted. */
  readonly latencies: readonly number[];
  /** After a garbage collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

export type SoakReport = Measured | { readonly said: "ready" | "stopped" | "closed" };
