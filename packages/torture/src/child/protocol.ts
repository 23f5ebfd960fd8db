// The messages from the conductor to a child, at its start and later.
import type { NotifyName } from "../notify/transport.ts";
import type { StoreName } from "../stores/store.ts";

export interface ChildConfig {
  readonly name: string;
  readonly role: "starter" | "worker";
  readonly seed: number;
  readonly store: StoreName;
  readonly storeUrl: string;
  readonly notify: NotifyName;
  readonly notifyUrl: string;
  /** Each process appends to a file of its own. */
  readonly logPath: string;
  /** From the machine's monotonic clock, which all processes share, to milliseconds since 1970. */
  readonly epochOffsetMs: number;
  readonly concurrency: number;
  /** Less than the concurrency now and then: callbacks then wait for connections. */
  readonly connectionsMax: number;
  /** How long a starter waits between two starts, at most. */
  readonly pauseMs: number;
  /** For how long completed jobs are kept. */
  readonly retentionMs: number;
  /** The folder of the next version of the store's package, which migrates the schema first. Null: the version at hand. */
  readonly nextVersion: string | null;
}

export type Order =
  /** The event loop stands still. */
  | { readonly do: "block"; readonly ms: number }
  /** The wall clock jumps. */
  | { readonly do: "skew"; readonly ms: number }
  /** Of so many statements one fails, before it has run or after. */
  | { readonly do: "flaky"; readonly rate: number }
  /** The answer of every commit comes so much later. */
  | { readonly do: "late"; readonly ms: number }
  /** Other code in the process holds every connection for this long. */
  | { readonly do: "exhaust"; readonly ms: number }
  /** Of so many notifications one is lost, doubled, late. */
  | { readonly do: "lossy"; readonly rate: number }
  /** Failed jobs succeed from now on. */
  | { readonly do: "repair" }
  | { readonly do: "stopStarting" }
  /** Stop, and close everything. */
  | { readonly do: "close" }
  /** After that: end by having nothing left to do. */
  | { readonly do: "end" };

export type Report = { readonly said: "ready" | "stoppedStarting" | "closed" };

export const leaseMs = 2_000;
export const timeoutMs = 3_000;
export const pollIntervalMs = 500;
/**
 * Long enough for observers to have seen the end of everything, even while the server is under
 * faults.
 */
export const retentionMs = 15_000;
