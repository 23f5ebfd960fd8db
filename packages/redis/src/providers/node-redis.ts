// The provider for the `redis` package, 5 and 6: a single server, Sentinel or Cluster.
// The types list the members that are used: the client's own type carries modules, scripts and protocol versions.
import {
  assertMethods,
  InvalidOptionError,
  type SubscriberConnection,
  type SubscriberConnectionEvents,
  rejectAfter,
} from "queuert/internal";
import type { RedisNotifyProvider } from "../redis-provider.ts";

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** The result of `createClient`. */
export interface NodeRedisSingle extends Emitter {
  readonly isReady: boolean;
  readonly options: { readonly socket?: object | undefined } | undefined;
  sendCommand(words: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  ping(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  duplicate(overrides?: object): NodeRedisSingle;
}

/** The result of `createCluster`. */
export interface NodeRedisCluster extends Emitter {
  readonly isOpen: boolean;
  readonly masters: readonly unknown[];
  sendCommand(key: string | undefined, isReadonly: boolean, words: string[]): Promise<unknown>;
  nodeClient(node: never): Promise<NodeRedisSingle>;
}

/** The result of `createSentinel`. */
export interface NodeRedisSentinel extends Emitter {
  readonly isReady: boolean;
  getMasterNode(): unknown;
  sendCommand(isReadonly: boolean, words: string[]): Promise<unknown>;
  /** Runs the callback with the client of the present master. */
  _execute<T>(isReadonly: boolean, run: (master: Emitter) => Promise<T>): Promise<T>;
}

type NodeRedisClient = NodeRedisSingle | NodeRedisSentinel | NodeRedisCluster;

/** The options of `createNodeRedisNotifyProvider`. */
export interface NodeRedisNotifyProviderOptions {
  /** Connected, and stays yours. Commands are sent over it, and connections for subscriptions copy its options. */
  readonly client: NodeRedisClient;
}

const connectTimeoutMs = 5_000;

const isCluster = (client: NodeRedisClient): client is NodeRedisCluster => "masters" in client;

const isSentinel = (client: NodeRedisClient): client is NodeRedisSentinel =>
  "getMasterNode" in client;

/** The client whose address and credentials a connection for subscriptions copies. */
const subscriberTemplate = async (client: NodeRedisClient): Promise<NodeRedisSingle> => {
  if (isSentinel(client)) return masterOf(client);
  if (!isCluster(client)) return client;
  // Every node passes on the messages of all nodes: a random one is taken, and another one next time.
  const { masters } = client;
  const node = masters[Math.floor(Math.random() * masters.length)];
  if (node === undefined) throw new Error("No node of the Redis Cluster is known now.");
  // The node is one of the client's own; its type repeats the client's type parameters.
  return rejectAfter(client.nodeClient(node as never), connectTimeoutMs, "Connecting to a node");
};

/** Looked up for each connection: after a failover there is another master. Waits while there is none. */
const masterOf = async (client: NodeRedisSentinel): Promise<NodeRedisSingle> => {
  // The declared type lacks the commands, which the client gets when it is created.
  const answer = client._execute(false, async (master) => master as NodeRedisSingle);
  return rejectAfter(answer, connectTimeoutMs, "Finding the master");
};

const close = (connection: NodeRedisSingle): void => {
  try {
    connection.destroy();
  } catch {
    // It throws only if the connection is closed already.
  }
};

const connect = async (
  client: NodeRedisClient,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  const template = await subscriberTemplate(client);
  const connection = template.duplicate({
    // The adapter replaces a lost connection, so this one must not reconnect by itself.
    socket: {
      ...template.options?.socket,
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: false,
    },
    disableOfflineQueue: true,
  });
  const receive = (text: string, channel: string): void => {
    onMessage(channel, text);
  };
  connection.on("error", onLost);
  connection.on("end", () => {
    onLost(new Error("The connection for subscriptions was closed."));
  });
  try {
    await rejectAfter(connection.connect(), connectTimeoutMs, "Connecting to Redis");
  } catch (error) {
    close(connection);
    throw error;
  }
  return {
    subscribe: (channel) => connection.subscribe(channel, receive),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    ping: () => connection.ping(),
    close: () => {
      close(connection);
    },
  };
};

const send = async (
  client: NodeRedisClient,
  words: string[],
  key: string | undefined,
): Promise<unknown> => {
  const connected = isCluster(client) ? client.isOpen : client.isReady;
  // The client would queue the command until the connection is back.
  if (!connected) throw new Error("The Redis client is not connected: call its `connect()`.");
  if (isCluster(client)) return client.sendCommand(key, false, words);
  return isSentinel(client) ? client.sendCommand(false, words) : client.sendCommand(words);
};

/** Refuses pools of clients, which cannot subscribe, and clients of ioredis, which share most method names. */
const assertClient = (client: NodeRedisClient): void => {
  const remedy =
    "give the result of `createClient`, `createSentinel` or `createCluster` of `redis`";
  assertMethods(client, "client", ["on", "off", "sendCommand"], remedy);
  if (!("isOpen" in client)) throw new InvalidOptionError("client", client, remedy);
  if (isCluster(client)) assertMethods(client, "client", ["nodeClient"], remedy);
  else if (!isSentinel(client)) assertMethods(client, "client", ["duplicate", "subscribe"], remedy);
};

/**
 * Lets the adapter work with a client of the `redis` package: `createClient`, `createSentinel` or `createCluster`.
 *
 * @example
 * ```ts
 * const client = await createClient({ url: "redis://localhost:6379" }).connect();
 * const provider = createNodeRedisNotifyProvider({ client });
 * ```
 */
export const createNodeRedisNotifyProvider = ({
  client,
}: NodeRedisNotifyProviderOptions): RedisNotifyProvider => {
  assertClient(client);
  // A lost connection emits "error", and without a listener that ends the process.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  return {
    isCluster: isCluster(client),
    command: (words, key) => send(client, [...words], key),
    connectSubscriber: (events) => connect(client, events),
    // oxlint-disable-next-line require-await -- the provider's contract is asynchronous
    close: async () => {
      client.off("error", ignore);
    },
  };
};
