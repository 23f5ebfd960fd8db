// A capped collection as the transport of a notify adapter: published by inserting, listened to by tailing.
import {
  assertInteger,
  assertName,
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
  createReconnectingSubscriber,
  hasMethods,
  InvalidOptionError,
  type NotifyChannel,
  notifyChannelSuffixes,
  type NotifyTransport,
  withinTime,
} from "queuert/internal";
import { MongoStrictApiError } from "./errors.ts";
import { isStrictApi, toNamedError } from "./named-errors.ts";
import { createNotifyCollection } from "./notify-collection.ts";
import { answerMs, openMs, openNotificationTail, pingMs } from "./notification-tail.ts";
import type { MongoNotifyProvider, NotifyCollection } from "./notify-provider.ts";

export interface MongoNotifyAdapterOptions {
  readonly provider: MongoNotifyProvider;
  /** What the collection's name begins with; `"queuert_"` if left out. As for the state adapter. */
  readonly collectionPrefix?: string | undefined;
  /** How large the capped collection is made; the oldest notifications give way. Default: 4 MiB. */
  readonly sizeBytes?: number | undefined;
  /** Told of errors that no call rejects with, such as lost connections. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const defaultSizeBytes = 4 * 1_024 * 1_024;
const payloadBytesMax = 16_384;

/** Notifications within MongoDB: no second system. Wakes every listener of a type; no hint counts are kept. */
// Asynchronous as all factories of adapters are, though it connects only when there is something to tell or hear.
// oxlint-disable-next-line require-await -- see above
export const createMongoNotifyAdapter = async (
  options: MongoNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const { provider, collectionPrefix = "queuert_", sizeBytes = defaultSizeBytes } = options;
  const remedy = "give a provider, such as `createMongodbProvider({ client })` makes";
  if (!hasMethods(provider?.database, ["collection", "command"])) {
    throw new InvalidOptionError("provider", provider, remedy);
  }
  assertName(collectionPrefix, "collectionPrefix", 100);
  assertInteger(sizeBytes, "sizeBytes", { min: 65_536, max: 1_024 ** 3 });
  const name = `${collectionPrefix}notifications`;
  const transport = createTransport(options, name, sizeBytes);
  return createChannelNotifyAdapter({ transport, onError: options.onError });
};

// The cursor waits on its connection for seconds; whatever else the client is asked would wait with it.
const assertRoom = ({ database }: MongoNotifyProvider): void => {
  const { client } = database as { client?: { options?: { maxPoolSize?: unknown } } };
  if (client?.options?.maxPoolSize !== 1) return;
  const remedy =
    "listening keeps one connection busy, and its client has no other; give one with a `maxPoolSize` of 2 or more";
  throw new InvalidOptionError("provider", "a client with `maxPoolSize: 1`", remedy);
};

const createTransport = (
  { provider, onError }: MongoNotifyAdapterOptions,
  name: string,
  sizeBytes: number,
): NotifyTransport => {
  const { database } = provider;
  const collection = database.collection(name);
  const named = (error: unknown): never => {
    throw isStrictApi(error)
      ? new MongoStrictApiError({ cause: error })
      : toNamedError(error, name);
  };
  let creating: Promise<NotifyCollection> | undefined;
  // Before the first insert, which would create one that is not capped.
  const created = (): Promise<NotifyCollection> => {
    // Not without an end: everybody waits for this one promise.
    creating ??= withinTime(
      createNotifyCollection(database, name, { sizeBytes, channels: wireNames }),
      openMs,
      "Creating",
    ).then(() => collection, named);
    // A failure is tried again by the next call.
    creating.catch(() => (creating = undefined));
    return creating;
  };
  const subscriber = createReconnectingSubscriber({
    connect: async (events) => {
      assertRoom(provider);
      // Looked at each time: the cursor may have been lost with its collection, and then the next publisher's insert has made an
      // ordinary one.
      creating = undefined;
      const ready = await created();
      return openNotificationTail(ready, events).catch(named);
    },
    onError,
    pingTimeoutMs: pingMs,
  });
  return {
    payloadBytesMax,
    publish: async (channel, messages) => {
      const documents = messages.map(({ text }) => ({ channel: wireName(channel), text: text() }));
      const insert = async (): Promise<void> => {
        const ready = await created();
        await ready.insertMany(documents, { writeConcern: { w: 1 }, ordered: false }).catch(named);
      };
      await withinTime(insert(), answerMs, "Publishing");
    },
    subscribe: (channel, events) => subscriber.subscribe(wireName(channel), events),
    close: () => subscriber.close(),
  };
};

const wireName = (channel: NotifyChannel): string => `queuert_${notifyChannelSuffixes[channel]}`;

// Its keys are the channels.
const wireNames = (Object.keys(notifyChannelSuffixes) as readonly NotifyChannel[]).map(wireName);
