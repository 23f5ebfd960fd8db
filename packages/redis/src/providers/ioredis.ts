// The provider for ioredis 5 and 6: a single server, Sentinel, or Cluster.
// Typed by what is used, so that neither version's classes are named: they have private members, which would make one
// version's client unfit for a provider built against the other.
import {
  assertMethods,
  type SubscriberConnectionEvents,
  type SubscriberConnection,
  withinTime,
} from "queuert/internal";
import type { RedisNotifyProvider } from "../redis-provider.ts";

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

export interface IoredisSingle extends Emitter {
  readonly status: string;
  call(command: string, ...args: string[]): Promise<unknown>;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
  ping(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  duplicate(override?: IoredisOverrides): IoredisSingle;
}

export interface IoredisCluster extends Emitter {
  readonly status: string;
  call(command: string, ...args: string[]): Promise<unknown>;
  nodes(): IoredisSingle[];
}

interface IoredisOverrides {
  readonly lazyConnect?: boolean;
  readonly autoResubscribe?: boolean;
  readonly enableOfflineQueue?: boolean;
  readonly enableReadyCheck?: boolean;
  readonly maxRetriesPerRequest?: number;
  readonly readOnly?: boolean;
  readonly connectTimeout?: number;
  readonly retryStrategy?: () => null;
  readonly reconnectOnError?: null;
}

export interface IoredisNotifyProviderOptions {
  /** Stays yours: commands go over it, and connections for subscriptions are made after its example. */
  readonly client: IoredisSingle | IoredisCluster;
}

const connectTimeoutMs = 5_000;

/** The subscriber is given up and made anew by the adapter, so nothing of it retries by itself. */
const subscriberOverrides: IoredisOverrides = {
  lazyConnect: true,
  autoResubscribe: false,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  maxRetriesPerRequest: 0,
  readOnly: false,
  connectTimeout: connectTimeoutMs,
  retryStrategy: () => null,
  reconnectOnError: null,
};

const isCluster = (client: IoredisSingle | IoredisCluster): client is IoredisCluster =>
  "nodes" in client;

/** In a cluster every node passes on what is published on any of them: take one by chance, and another next time. */
const subscriberTemplate = (client: IoredisSingle | IoredisCluster): IoredisSingle => {
  if (!isCluster(client)) return client;
  const nodes = client.nodes();
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  if (node === undefined) throw new Error("No node of the Redis Cluster is known now.");
  return node;
};

const connect = async (
  client: IoredisSingle | IoredisCluster,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  const connection = subscriberTemplate(client).duplicate(subscriberOverrides);
  let told: unknown;
  connection.on("error", (error: unknown) => {
    told = error;
  });
  connection.on("end", () => {
    onLost(told ?? new Error("The connection for subscriptions was closed."));
  });
  connection.on("message", (channel, text) => {
    onMessage(String(channel), String(text));
  });
  // That the connection is closed, or its stream not writeable, says less than what came before, such as a wrong password.
  const reasonOf = (error: unknown): unknown =>
    told instanceof Error && told.message !== "" ? told : error;
  try {
    await withinTime(connection.connect(), connectTimeoutMs, "Connecting to Redis");
  } catch (error) {
    connection.disconnect();
    throw reasonOf(error);
  }
  return {
    subscribe: async (channel) => {
      try {
        await connection.subscribe(channel);
      } catch (error) {
        throw reasonOf(error);
      }
    },
    unsubscribe: (channel) => connection.unsubscribe(channel),
    ping: () => connection.ping(),
    close: () => {
      connection.disconnect();
    },
  };
};

/** Lets the adapter work with a client of ioredis: `new Redis(…)` or `new Cluster(…)`. */
export const createIoredisNotifyProvider = ({
  client,
}: IoredisNotifyProviderOptions): RedisNotifyProvider => {
  // `call` is what a client of the other package does not have.
  const remedy = "give a `Redis` or a `Cluster` of ioredis";
  assertMethods(client, "client", ["on", "off", "call"], remedy);
  assertMethods(client, "client", [isCluster(client) ? "nodes" : "duplicate"], remedy);
  // Without any listener ioredis prints to the console; whoever gave the client is told by listeners of their own.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  return {
    isCluster: isCluster(client),
    command: async ([name, ...rest]) => {
      // ioredis would keep it until the connection is back.
      if (["reconnecting", "close", "disconnecting", "end"].includes(client.status)) {
        throw new Error("The Redis client is not connected.");
      }
      return client.call(name, ...rest);
    },
    connectSubscriber: (events) => connect(client, events),
    // oxlint-disable-next-line require-await -- the provider's contract is asynchronous
    close: async () => {
      client.off("error", ignore);
    },
  };
};
