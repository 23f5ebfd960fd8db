// The two families of NATS clients, each as what the adapter is given: a connection and, where wanted, a bucket.
import { Kvm } from "@nats-io/kv";
import { connect as connectNatsIo } from "@nats-io/transport-node";
import { connect as connectNats, StorageType } from "nats";
import type { NatsConnection, NatsKv } from "../src/index.ts";

export interface OpenedConnection {
  readonly nc: NatsConnection;
  readonly kv: NatsKv;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly servers: string;
  readonly bucket: string;
  readonly pingInterval?: number;
  readonly maxReconnectAttempts?: number;
}

// Tests restart servers: come back soon and never give up.
const reconnecting = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 50,
  ignoreAuthErrorAbort: true,
};
const hintTtlMs = 60_000;

export const openNats = async ({
  servers,
  bucket,
  pingInterval = 1_000,
  ...options
}: ConnectionOptions): Promise<OpenedConnection> => {
  const nc = await connectNats({ servers, pingInterval, ...reconnecting, ...options });
  const kv = await nc.jetstream().views.kv(bucket, { ttl: hintTtlMs, storage: StorageType.Memory });
  return { nc, kv, close: () => nc.close() };
};

export const openNatsIo = async ({
  servers,
  bucket,
  pingInterval = 1_000,
  ...options
}: ConnectionOptions): Promise<OpenedConnection> => {
  const nc = await connectNatsIo({ servers, pingInterval, ...reconnecting, ...options });
  const kv = await new Kvm(nc).create(bucket, { ttl: hintTtlMs, storage: "memory" });
  return { nc, kv, close: () => nc.close() };
};
