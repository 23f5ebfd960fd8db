import type { ReconnectingSubscriberOptions } from "queuert/internal";

/**
 * The methods of a Redis client that the adapter needs. Two providers are ready-made: `@queuert/redis/ioredis` and
 * `@queuert/redis/node-redis`. For another client, implement these methods.
 */
export interface RedisNotifyProvider {
  /** Whether there are several nodes: each one counts its own subscribers only. */
  readonly isCluster: boolean;
  /**
   * Sends one command, as words, and resolves to the reply.
   * - `key` is the only key that the command touches, for clusters. Undefined: any node can run it.
   * - Rejects at once while there is no connection: notifications must not be queued.
   * - An error reply rejects with an error whose message begins with the reply, such as `NOSCRIPT`.
   */
  command(
    words: readonly [name: string, ...rest: string[]],
    key: string | undefined,
  ): Promise<unknown>;
  /**
   * Makes a separate connection for subscriptions, to any node of a cluster. It must not reconnect by itself: the adapter
   * makes a new one when it is lost. Rejects within a few seconds.
   */
  readonly connectSubscriber: ReconnectingSubscriberOptions["connect"];
  /** Removes the listeners that the provider added to the given client; never closes the client. */
  close(): Promise<void>;
}
