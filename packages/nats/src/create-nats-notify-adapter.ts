// NATS subjects as the transport of a notify adapter. One connection carries everything. The client reconnects and
// subscribes again by itself; the transport then calls the listeners.
import {
  assertMethods,
  assertName,
  type ChannelNotifyAdapter,
  type ChannelSubscriber,
  createChannelNotifyAdapter,
  InvalidOptionError,
  type NotifyTopic,
  type NotifyTransport,
} from "queuert/internal";
import { watchConnection } from "./connection-watch.ts";
import { subscribeLastingly } from "./lasting-subscription.ts";
import type { NatsConnection } from "./nats-connection.ts";
import { createQueueGroupOffers } from "./queue-group-offers.ts";

/** The options of `createNatsNotifyAdapter`. */
export interface NatsNotifyAdapterOptions {
  /** A connection of `nats` 2.28 or newer or of `@nats-io/transport-node` 3. Stays yours. */
  readonly nc: NatsConnection;
  /**
   * Before the names of subjects, which also carry the identity of the store. A copy of a database has the same identity:
   * if it uses the same server, give it another prefix. Default: `"queuert"`.
   */
  readonly subjectPrefix?: string | undefined;
  /**
   * Receives errors that no call rejects with: subscriptions that the server ended, a connection that has given up. Default: none. The client reports them, too.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

// A few packets. Larger batches are sent in several messages.
const payloadBytesMax = 16_384;

const createTransport = ({
  nc,
  subjectPrefix = "queuert",
  onError = () => undefined,
}: NatsNotifyAdapterOptions): NotifyTransport => {
  const subscribers = new Set<ChannelSubscriber>();
  const offers = createQueueGroupOffers(nc, onError);
  const subjectOf = ({ words }: NotifyTopic): string => [subjectPrefix, ...words].join(".");
  const offerSubjectOf = ({ words: [, ...store] }: NotifyTopic): string =>
    [subjectPrefix, "offer", ...store].join(".");

  const reconnected = async (): Promise<void> => {
    // The reply comes after the subscriptions have been made again: later messages arrive.
    await nc.flush();
    for (const subscriber of [...subscribers]) subscriber.onReconnected();
  };
  const watch = watchConnection(
    nc,
    `${subjectPrefix}.`,
    () => {
      reconnected().catch(onError);
    },
    onError,
  );

  return {
    sharesHints: true,
    get payloadBytesMax() {
      return Math.min(payloadBytesMax, nc.info?.max_payload ?? payloadBytesMax);
    },
    publish: async (topic, messages) => {
      // The client would queue the messages until the connection is back.
      if (!watch.isConnected()) throw new Error("The NATS connection is down.");
      const subject = subjectOf(topic);
      const texts = await Promise.all(
        messages.map(async ({ counts, text }) => {
          if (counts.length === 0) return text();
          const left = await offers.make(offerSubjectOf(topic), { counts, text });
          return left.length === 0 ? undefined : text(undefined, left);
        }),
      );
      const forAll = texts.filter((text) => text !== undefined);
      // An offer with a reply has arrived, so there is nothing to flush.
      if (forAll.length === 0) return;
      for (const text of forAll) nc.publish(subject, text);
      await nc.flush();
      // The refusal may arrive after the reply to the flush: the next message reports it at the latest.
      if (watch.wasRefused(subject)) {
        throw new Error(`The NATS server does not permit to publish on ${subject}.`);
      }
    },
    subscribe: async (topic, subscriber) => {
      const end = await subscribeLastingly(nc, subjectOf(topic), subscriber, onError);
      const endOffers = await offers.accept(offerSubjectOf(topic), subscriber);
      subscribers.add(subscriber);
      return async () => {
        subscribers.delete(subscriber);
        endOffers();
        end();
      };
    },
    close: async () => {
      offers.stop();
      watch.stop();
    },
  };
};

/** One or more tokens, as NATS accepts them at the beginning of a subject. */
const assertSubjectPrefix = (prefix: string): void => {
  assertName(prefix, "subjectPrefix");
  if (!prefix.split(".").every((token) => /^[^\s.*>]+$/.test(token))) {
    throw new InvalidOptionError(
      "subjectPrefix",
      prefix,
      "give tokens separated by single dots, without spaces, `*` and `>`",
    );
  }
};

/**
 * Notifications over NATS. A job wakes one idle worker, and not one in every process.
 *
 * @example
 * ```ts
 * const nc = await connect({ servers: "localhost:4222", maxReconnectAttempts: -1 });
 * const notifyAdapter = await createNatsNotifyAdapter({ nc });
 * ```
 */
export const createNatsNotifyAdapter = async (
  options: NatsNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const remedy = "give the result of `await connect(…)` of a NATS client";
  assertMethods(options.nc, "nc", ["publish", "subscribe", "flush", "status"], remedy);
  if (options.subjectPrefix !== undefined) assertSubjectPrefix(options.subjectPrefix);
  return createChannelNotifyAdapter({
    transport: createTransport(options),
    onError: options.onError,
  });
};
