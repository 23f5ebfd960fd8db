// The provider for the `redis` package, 5 and 6: a single server, Sentinel or Cluster.
// Typed by what is used: the client's own type carries modules, scripts and protocol versions that do not matter here.
import {
  assertMethods,
  InvalidOptionError,
  type SubscriberConnection,
  type SubscriberConnectionEvents,
  withinTime,
} from "queuert/internal";
import type { RedisNotifyProvider } from "../redis-provider.ts";

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** What `createClient` returns. */
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

/** What `createCluster` returns. */
export interface NodeRedisCluster extends Emitter {
  readonly isOpen: boolean;
  readonly masters: readonly unknown[];
  sendCommand(key: string | undefined, isReadonly: boolean, words: string[]): Promise<unknown>;
  nodeClient(node: never): Promise<NodeRedisSingle>;
}

/** What `createSentinel` returns. */
export interface NodeRedisSentinel extends Emitter {
  readonly isReady: boolean;
  getMasterNode(): unknown;
  sendCommand(isReadonly: boolean, words: string[]): Promise<unknown>;
  /** Runs the callback with the client of the master that is in charge now. */
  _execute<T>(isReadonly: boolean, run: (master: Emitter) => Promise<T>): Promise<T>;
}

type NodeRedisClient = NodeRedisSingle | NodeRedisSentinel | NodeRedisCluster;

export interface NodeRedisNotifyProviderOptions {
  /** Connected, and stays yours: commands go over it, and connections for subscriptions are made after its example. */
  readonly client: NodeRedisClient;
}

const connectTimeoutMs = 5_000;

const isCluster = (client: NodeRedisClient): client is NodeRedisCluster => "masters" in client;

const isSentinel = (client: NodeRedisClient): client is NodeRedisSentinel =>
  "getMasterNode" in client;

/** The client whose example a connection for subscriptions follows: where to, and as whom. */
const subscriberTemplate = async (client: NodeRedisClient): Promise<NodeRedisSingle> => {
  if (isSentinel(client)) return masterOf(client);
  if (!isCluster(client)) return client;
  // Every node passes on what is published on any of them: take one by chance, and another next time.
  const { masters } = client;
  const node = masters[Math.floor(Math.random() * masters.length)];
  if (node === undefined) throw new Error("No node of the Redis Cluster is known now.");
  // The node's type repeats the client's type parameters; it is one of the client's own.
  return withinTime(client.nodeClient(node as never), connectTimeoutMs, "Connecting to a node");
};

/** Asked anew for each connection: after a failover it is another one. While there is none, this waits. */
const masterOf = async (client: NodeRedisSentinel): Promise<NodeRedisSingle> => {
  // Its type leaves out the commands that a client is given when it is created.
  const answer = client._execute(false, async (master) => master as NodeRedisSingle);
  return withinTime(answer, connectTimeoutMs, "Finding the master");
};

const close = (connection: NodeRedisSingle): void => {
  try {
    connection.destroy();
  } catch {
    // It only throws when it is closed already, which is what was wanted.
  }
};

const connect = async (
  client: NodeRedisClient,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  const template = await subscriberTemplate(client);
  const connection = template.duplicate({
    // The adapter makes a new connection when this one is lost, so it must not come back by itself.
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
    await withinTime(connection.connect(), connectTimeoutMs, "Connecting to Redis");
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
  // The client would keep the command until the connection is back.
  if (!connected) throw new Error("The Redis client is not connected: call its `connect()`.");
  if (isCluster(client)) return client.sendCommand(key, false, words);
  return isSentinel(client) ? client.sendCommand(false, words) : client.sendCommand(words);
};

/** A pool of clients cannot subscribe, and ioredis has most of the methods under the same names. */
const assertClient = (client: NodeRedisClient): void => {
  const remedy = "give what `createClient`, `createSentinel` or `createCluster` of `redis` answers";
  assertMethods(client, "client", ["on", "off", "sendCommand"], remedy);
  if (!("isOpen" in client)) throw new InvalidOptionError("client", client, remedy);
  if (isCluster(client)) assertMethods(client, "client", ["nodeClient"], remedy);
  else if (!isSentinel(client)) assertMethods(client, "client", ["duplicate", "subscribe"], remedy);
};

/** Lets the adapter work with a client of the `redis` package: `createClient`, `createSentinel` or `createCluster`. */
export const createNodeRedisNotifyProvider = ({
  client,
}: NodeRedisNotifyProviderOptions): RedisNotifyProvider => {
  assertClient(client);
  // A lost connection is an "error" event, and one without a listener ends the process.
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
