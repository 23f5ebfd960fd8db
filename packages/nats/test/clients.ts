// The two families of NATS clients.
import { connect as connectNatsIo } from "@nats-io/transport-node";
import { connect as connectNats } from "nats";
import type { NatsConnection } from "../src/index.ts";

export interface OpenedConnection {
  readonly nc: NatsConnection;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly servers: string;
  readonly pingInterval?: number;
  readonly maxReconnectAttempts?: number;
}

// Tests restart servers: the clients reconnect soon and do not give up.
const reconnecting = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 50,
  ignoreAuthErrorAbort: true,
};

export const openNats = async ({
  pingInterval = 1_000,
  ...options
}: ConnectionOptions): Promise<OpenedConnection> => {
  const nc = await connectNats({ pingInterval, ...reconnecting, ...options });
  return { nc, close: () => nc.close() };
};

export const openNatsIo = async ({
  pingInterval = 1_000,
  ...options
}: ConnectionOptions): Promise<OpenedConnection> => {
  const nc = await connectNatsIo({ pingInterval, ...reconnecting, ...options });
  return { nc, close: () => nc.close() };
};
