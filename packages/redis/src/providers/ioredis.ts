// The provider for ioredis 5 and 6: a single server, Sentinel, or Cluster.
// The types list the members that are used. The classes of ioredis have private members: a client of one version would not
// be assignable to the class of the other.
import {
  assertMethods,
  type SubscriberConnectionEvents,
  type SubscriberConnection,
  rejectAfter,
} from "queuert/internal";
import type { RedisNotifyProvider } from "../redis-provider.ts";

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A `Redis` of ioredis, as far as it is used here. */
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

/** A `Cluster` of ioredis, as far as it is used here. */
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

/** The options of `createIoredisNotifyProvider`. */
export interface IoredisNotifyProviderOptions {
  /** Stays yours. Commands are sent over it, and connections for subscriptions copy its options. */
  readonly client: IoredisSingle | IoredisCluster;
}

const connectTimeoutMs = 5_000;

/** The adapter replaces a lost subscriber, so the client must not retry by itself. */
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

/** In a cluster every node passes on the messages of all nodes: a random one is taken, and another one next time. */
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
  let lastError: unknown;
  connection.on("error", (error: unknown) => {
    lastError = error;
  });
  connection.on("end", () => {
    onLost(lastError ?? new Error("The connection for subscriptions was closed."));
  });
  connection.on("message", (channel, text) => {
    onMessage(String(channel), String(text));
  });
  // An error event, such as a wrong password, explains more than "Connection is closed".
  const reasonOf = (error: unknown): unknown =>
    lastError instanceof Error && lastError.message !== "" ? lastError : error;
  try {
    await rejectAfter(connection.connect(), connectTimeoutMs, "Connecting to Redis");
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

/**
 * Lets the adapter work with a client of ioredis: `new Redis(…)` or `new Cluster(…)`.
 *
 * @example
 * ```ts
 * const provider = createIoredisNotifyProvider({ client: new Redis("redis://localhost:6379") });
 * ```
 */
export const createIoredisNotifyProvider = ({
  client,
}: IoredisNotifyProviderOptions): RedisNotifyProvider => {
  // A client of the `redis` package has no `call`.
  const remedy = "give a `Redis` or a `Cluster` of ioredis";
  assertMethods(client, "client", ["on", "off", "call"], remedy);
  assertMethods(client, "client", [isCluster(client) ? "nodes" : "duplicate"], remedy);
  // Without a listener ioredis prints errors to the console. The application's own listeners still receive them.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  return {
    isCluster: isCluster(client),
    command: async ([name, ...rest]) => {
      // ioredis would queue the command until the connection is back.
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
