// NATS subjects as the transport of a notify adapter. One connection carries everything: it is multiplexed, it
// reconnects and it subscribes again by itself, so what is left is to tell listeners when it has.
import {
  assertMethods,
  assertName,
  type ChannelNotifyAdapter,
  type ChannelSubscriber,
  createChannelNotifyAdapter,
  InvalidOptionError,
  type NotifyChannel,
  notifyChannelSuffixes,
  type NotifyTransport,
  type OutgoingMessage,
  withinTime,
} from "queuert/internal";
import { watchConnection } from "./connection-watch.ts";
import { subscribeLastingly } from "./lasting-subscription.ts";
import type { NatsConnection, NatsKv } from "./nats-connection.ts";
import { createOffers, type Offers } from "./offers.ts";
import { createWakeHints, type WakeHints } from "./wake-hints.ts";

export interface NatsNotifyAdapterOptions {
  /** A connection of `nats` 2.28 or newer or of `@nats-io/transport-node` 3. Stays yours. */
  readonly nc: NatsConnection;
  /** A JetStream KV bucket for hint counts. Without it, every process with room looks for each job. */
  readonly kv?: NatsKv | undefined;
  /** Before the names of subjects; applications that share a server need one each. Default: `"queuert"`. */
  readonly subjectPrefix?: string | undefined;
  /**
   * Told of errors that no call rejects with: hints that could not be stored or taken, subscriptions that were taken away, a
   * connection that has given up.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

// Small enough for one packet or few; more is sent in more messages.
const payloadBytesMax = 16_384;
// Waking everybody costs less than a hint that takes longer than this.
const hintTimeoutMs = 500;
// After a hint could not be stored: JetStream may have no leader, and every message would wait for it.
const hintPauseMs = 5_000;

const channels = Object.keys(notifyChannelSuffixes) as readonly NotifyChannel[];

/** The text of a message to all; undefined if somebody has come for all that it is about. */
const toTextForAll = (
  offers: Offers,
  hints: WakeHints,
  onError: (error: unknown) => void,
): ((message: OutgoingMessage) => Promise<string | undefined>) => {
  let hintsPausedUntil = 0;
  const storeHint = async (): Promise<string | undefined> => {
    if (Date.now() < hintsPausedUntil) return;
    try {
      return await withinTime(hints.put(), hintTimeoutMs, "Storing a hint");
    } catch (error) {
      // A bucket's own errors may be as short as "503".
      const told = "A hint could not be stored: for a while jobs wake a worker in every process.";
      onError(new Error(told, { cause: error }));
      hintsPausedUntil = Date.now() + hintPauseMs;
      return;
    }
  };
  return async (message) => {
    if (message.counts.length === 0) return message.text();
    const left = await offers.make(message);
    return left.length === 0 ? undefined : message.text(await storeHint(), left);
  };
};

const createTransport = ({
  nc,
  kv,
  subjectPrefix = "queuert",
  onError = () => undefined,
}: NatsNotifyAdapterOptions): NotifyTransport => {
  const subscribers = new Set<ChannelSubscriber>();
  const hints = kv && createWakeHints(kv, subjectPrefix);
  const offers = kv && createOffers(nc, `${subjectPrefix}.offer`, onError);
  const textForAll = offers && hints && toTextForAll(offers, hints, onError);

  const reconnected = async (): Promise<void> => {
    // Answered after the subscriptions have been made again: what comes from now on is not missed.
    await nc.flush();
    for (const subscriber of [...subscribers]) subscriber.onReconnected();
  };
  const subjectOf = (channel: NotifyChannel): string =>
    `${subjectPrefix}.${notifyChannelSuffixes[channel]}`;
  const subjects = channels.map(subjectOf);
  const watch = watchConnection(
    nc,
    subjects,
    () => {
      reconnected().catch(onError);
    },
    onError,
  );

  return {
    get payloadBytesMax() {
      return Math.min(payloadBytesMax, nc.info?.max_payload ?? payloadBytesMax);
    },
    publish: async (channel, messages) => {
      // The client would keep it until the connection is back, and as much more as there is.
      if (!watch.isConnected()) throw new Error("The NATS connection is down.");
      const subject = subjectOf(channel);
      const texts = await Promise.all(
        messages.map((message) => textForAll?.(message) ?? message.text()),
      );
      const forAll = texts.filter((text) => text !== undefined);
      // An offer that was answered has arrived.
      if (forAll.length === 0) return;
      for (const text of forAll) nc.publish(subject, text);
      await nc.flush();
      // Known a moment later than the answer to this, and so told of with the next message at the latest.
      if (watch.wasRefused(subject)) {
        throw new Error(`The NATS server does not permit to publish on ${subject}.`);
      }
    },
    subscribe: async (channel, subscriber) => {
      const end = await subscribeLastingly(nc, subjectOf(channel), subscriber, onError);
      const endOffers = await offers?.take(subscriber);
      subscribers.add(subscriber);
      return async () => {
        subscribers.delete(subscriber);
        endOffers?.();
        end();
      };
    },
    ...(hints && { takeHints: (hint, wanted) => hints.take(hint, wanted) }),
    close: async () => {
      offers?.stop();
      watch.stop();
    },
  };
};

/** A token or several: what NATS takes as the beginning of a subject. */
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

/** Notifications over NATS; with a KV bucket also hint counts, so that a job wakes one idle worker and not all. */
export const createNatsNotifyAdapter = async (
  options: NatsNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const remedy = "give what `await connect(…)` of a NATS client answers";
  assertMethods(options.nc, "nc", ["publish", "subscribe", "flush", "status"], remedy);
  if (options.kv !== undefined) {
    const kvRemedy = "give what `await kvm.create(…)` or `await js.views.kv(…)` answers";
    assertMethods(options.kv, "kv", ["put", "update", "get"], kvRemedy);
  }
  if (options.subjectPrefix !== undefined) assertSubjectPrefix(options.subjectPrefix);
  return createChannelNotifyAdapter({
    transport: createTransport(options),
    onError: options.onError,
  });
};
