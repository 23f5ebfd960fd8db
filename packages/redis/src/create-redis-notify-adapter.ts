// Pub/sub of Redis as the transport of a notify adapter. Messages are sent over the connection of the given client.
// The adapter makes a second connection for subscriptions and keeps it alive.
import {
  assertInteger,
  assertMethods,
  assertName,
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
  createReconnectingSubscriber,
  limits,
  type NotifyTopic,
  type NotifyTransport,
  type OutgoingMessage,
} from "queuert/internal";
import type { RedisNotifyProvider } from "./redis-provider.ts";
import { createWakeHints } from "./wake-hints.ts";

/** The options of `createRedisNotifyAdapter`. */
export interface RedisNotifyAdapterOptions {
  /** See `@queuert/redis/ioredis` and `@queuert/redis/node-redis`. */
  readonly provider: RedisNotifyProvider;
  /**
   * Before the names of channels and keys, which also carry the identity of the store. A copy of a database has the same
   * identity: if it uses the same server, give it another prefix. Default: `"queuert"`.
   */
  readonly channelPrefix?: string | undefined;
  /**
   * Whether to keep counts of jobs, so that a job wakes one idle worker and not one in every process. Needs Lua scripts:
   * give false where they are not allowed. Default: true.
   */
  readonly hints?: boolean | undefined;
  /**
   * How often a silent subscription is checked. A half-open connection is noticed within this time plus two seconds.
   * Default: 8,000.
   */
  readonly pingIntervalMs?: number | undefined;
  /** Receives errors that no call rejects with: lost connections, hints that could not be taken. Default: none. The client reports them, too. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

// A few packets, and below the limits of proxies. Larger batches are sent in several messages.
const payloadBytesMax = 16_384;

const createTransport = ({
  provider,
  channelPrefix = "queuert",
  hints: withHints = true,
  pingIntervalMs,
  onError = () => undefined,
}: RedisNotifyAdapterOptions): NotifyTransport => {
  const nameOf = ({ words }: NotifyTopic): string => [channelPrefix, ...words].join(":");
  const hintKeyPrefix = ({ words: [, ...store] }: NotifyTopic): string =>
    [channelPrefix, "hint", ...store, ""].join(":");
  const hints = createWakeHints(provider);
  const subscriber = createReconnectingSubscriber({
    connect: provider.connectSubscriber,
    onError,
    pingIntervalMs,
  });
  const ownSubscriptions = new Map<string, number>();

  const publish = async (topic: NotifyTopic, message: OutgoingMessage): Promise<void> => {
    const channel = nameOf(topic);
    if (withHints && message.counts.length > 0) {
      try {
        const ownSubscriptionCount = ownSubscriptions.get(channel) ?? 0;
        const keyPrefix = hintKeyPrefix(topic);
        await hints.publish({ channel, keyPrefix, ownSubscriptionCount, message });
        return;
      } catch (error) {
        // A full server, a slot without a master, an ACL without scripts: a message without a hint may still arrive.
        onError(error);
      }
    }
    await provider.command(["PUBLISH", channel, message.text()], undefined);
  };

  return {
    sharesHints: withHints,
    payloadBytesMax,
    publish: async (topic, messages) => {
      await Promise.all(messages.map((message) => publish(topic, message)));
    },
    subscribe: async (topic, listener) => {
      const channel = nameOf(topic);
      const end = await subscriber.subscribe(channel, listener);
      ownSubscriptions.set(channel, 1);
      return async () => {
        ownSubscriptions.delete(channel);
        await end();
      };
    },
    ...(withHints && {
      takeHints: (topic, hintId, wanted) => hints.take(hintKeyPrefix(topic) + hintId, wanted),
    }),
    close: async () => {
      await subscriber.close();
      await provider.close();
    },
  };
};

/**
 * Notifications over Redis: single servers, Sentinel and Cluster, with hint counts, so that a job wakes one idle
 * worker and not all of them.
 *
 * @example
 * ```ts
 * const client = new Redis("redis://localhost:6379");
 * const notifyAdapter = await createRedisNotifyAdapter({
 *   provider: createIoredisNotifyProvider({ client }),
 * });
 * ```
 */
// Asynchronous as all factories of adapters are. It connects with the first listener: a worker must start while Redis is
// unreachable.
// oxlint-disable-next-line require-await -- see above
export const createRedisNotifyAdapter = async (
  options: RedisNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const remedy = "give a provider, such as the result of `createIoredisNotifyProvider({ client })`";
  assertMethods(options.provider, "provider", ["command", "connectSubscriber", "close"], remedy);
  if (options.channelPrefix !== undefined) assertName(options.channelPrefix, "channelPrefix");
  if (options.pingIntervalMs !== undefined) {
    assertInteger(options.pingIntervalMs, "pingIntervalMs", { min: 1, max: limits.timerMsMax });
  }
  return createChannelNotifyAdapter({
    transport: createTransport(options),
    onError: options.onError,
  });
};
