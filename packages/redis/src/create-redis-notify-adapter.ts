// Pub/sub of Redis as the transport of a notify adapter. Messages go over the connection of the client that was given,
// subscriptions over one that the adapter makes and keeps alive by itself.
import {
  assertInteger,
  assertMethods,
  assertName,
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
  createReconnectingSubscriber,
  limits,
  type NotifyChannel,
  notifyChannelSuffixes,
  type NotifyTransport,
  type OutgoingMessage,
} from "queuert/internal";
import type { RedisNotifyProvider } from "./redis-provider.ts";
import { createWakeHints } from "./wake-hints.ts";

export interface RedisNotifyAdapterOptions {
  /** See `@queuert/redis/ioredis` and `@queuert/redis/node-redis`. */
  readonly provider: RedisNotifyProvider;
  /** Before the names of channels and keys; applications that share a server need one each. Default: `"queuert"`. */
  readonly channelPrefix?: string | undefined;
  /**
   * Whether to keep counts of jobs, so that a job wakes one idle worker and not one in every process. Takes Lua scripts:
   * turn it off where they are not allowed. Default: true.
   */
  readonly hints?: boolean | undefined;
  /**
   * How often a subscription on which nothing arrives is checked: a half-open connection is noticed within this and two
   * seconds. Default: 8,000.
   */
  readonly pingIntervalMs?: number | undefined;
  /** Told of errors that no call rejects with: lost connections, hints that could not be taken. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

// Small enough for one packet or few, and for any limit a proxy may have; more is sent in more messages.
const payloadBytesMax = 16_384;

const createTransport = ({
  provider,
  channelPrefix = "queuert",
  hints: withHints = true,
  pingIntervalMs,
  onError = () => undefined,
}: RedisNotifyAdapterOptions): NotifyTransport => {
  const wireName = (channel: NotifyChannel): string =>
    `${channelPrefix}:${notifyChannelSuffixes[channel]}`;
  const hints = createWakeHints(provider, `${channelPrefix}:hint:`);
  const subscriber = createReconnectingSubscriber({
    connect: provider.connectSubscriber,
    onError,
    pingIntervalMs,
  });
  const ownSubscriptions = new Map<string, number>();

  const publish = async (channel: string, message: OutgoingMessage): Promise<void> => {
    const { counts, text } = message;
    if (withHints && counts.length > 0) {
      try {
        const ownSubscriptionCount = ownSubscriptions.get(channel) ?? 0;
        await hints.publish({ channel, ownSubscriptionCount, message });
        return;
      } catch (error) {
        // A full server, a slot without a master, an ACL without scripts: those who read it can still be woken.
        onError(error);
      }
    }
    await provider.command(["PUBLISH", channel, text()], undefined);
  };

  return {
    payloadBytesMax,
    publish: async (channel, messages) => {
      await Promise.all(messages.map((message) => publish(wireName(channel), message)));
    },
    subscribe: async (channel, events) => {
      const name = wireName(channel);
      const end = await subscriber.subscribe(name, events);
      ownSubscriptions.set(name, 1);
      return async () => {
        ownSubscriptions.delete(name);
        await end();
      };
    },
    ...(withHints && { takeHints: ({ id }, wanted) => hints.take(id, wanted) }),
    close: async () => {
      await subscriber.close();
      await provider.close();
    },
  };
};

/**
 * Notifications over Redis: single servers, Sentinel and Cluster, with hint counts, so that a job wakes one idle
 * worker and not all of them.
 */
// Asynchronous as all factories of adapters are, though it connects only when somebody listens: a worker must start
// whether Redis is there or not.
// oxlint-disable-next-line require-await -- see above
export const createRedisNotifyAdapter = async (
  options: RedisNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const remedy = "give a provider, such as `createIoredisNotifyProvider({ client })` makes";
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
