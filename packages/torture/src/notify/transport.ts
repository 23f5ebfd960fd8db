import type { NotifyAdapter } from "queuert";

export type NotifyName =
  "none" | "postgres" | "mongodb" | "redis" | "nats" | "redisCluster" | "natsCluster";

/** A notify adapter, and how to close its connections. */
export interface OpenTransport {
  readonly notify: NotifyAdapter;
  readonly close: () => Promise<void>;
}

export type OpenTransportAt = (url: string) => Promise<OpenTransport>;

/** A half-open connection is noticed within this and two seconds. */
export const pingIntervalMs = 1_000;
