import type { ReconnectingSubscriberOptions } from "queuert/internal";

/**
 * What the adapter needs of a Redis client. Two are ready-made (`@queuert/redis/ioredis`, `@queuert/redis/node-redis`);
 * for another client, these few are all there is to write.
 */
export interface RedisNotifyProvider {
  /** Whether there are several nodes, each of which knows its own subscribers only. */
  readonly isCluster: boolean;
  /**
   * Sends one command, as words, and resolves to the reply.
   * - `key` is the only key the command touches, for clusters; undefined: any node will do.
   * - Rejects at once while there is no connection: a notification must not wait for a better day.
   * - An error reply rejects with an error whose message begins with what Redis said, such as `NOSCRIPT`.
   */
  command(
    words: readonly [name: string, ...rest: string[]],
    key: string | undefined,
  ): Promise<unknown>;
  /**
   * Makes a connection of its own for subscriptions, which does not reconnect by itself, to any node of a cluster.
   * Rejects within a few seconds. The adapter makes a new one when it is lost.
   */
  readonly connectSubscriber: ReconnectingSubscriberOptions["connect"];
  /** Takes back what the provider attached to the client it was given; never closes that. */
  close(): Promise<void>;
}
