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
import { MongoNotifyCollectionError } from "./errors.ts";
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
const namespaceExists = 48;

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

const createTransport = (
  { provider: { database }, onError }: MongoNotifyAdapterOptions,
  name: string,
  sizeBytes: number,
): NotifyTransport => {
  const collection = database.collection(name);
  let creating: Promise<NotifyCollection> | undefined;
  // Before the first insert, which would create one that is not capped.
  const created = (): Promise<NotifyCollection> => {
    // Not without an end: everybody waits for this one promise.
    creating ??= withinTime(create(database, name, sizeBytes), openMs, "Creating").then(
      () => collection,
    );
    // A failure is tried again by the next call.
    creating.catch(() => (creating = undefined));
    return creating;
  };
  const subscriber = createReconnectingSubscriber({
    connect: async (events) => openNotificationTail(await created(), events),
    onError,
    pingTimeoutMs: pingMs,
  });
  return {
    payloadBytesMax,
    publish: async (channel, messages) => {
      const documents = messages.map(({ text }) => ({ channel: wireName(channel), text: text() }));
      const insert = async (): Promise<void> => {
        const ready = await created();
        await ready.insertMany(documents, { writeConcern: { w: 1 }, ordered: false });
      };
      await withinTime(insert(), answerMs, "Publishing");
    },
    subscribe: (channel, events) => subscriber.subscribe(wireName(channel), events),
    close: () => subscriber.close(),
  };
};

const wireName = (channel: NotifyChannel): string => `queuert_${notifyChannelSuffixes[channel]}`;

const create = async (
  database: MongoNotifyProvider["database"],
  name: string,
  sizeBytes: number,
): Promise<void> => {
  try {
    await database.command({ create: name, capped: true, size: sizeBytes });
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
    if (code !== namespaceExists) throw error;
    await assertCapped(database, name);
  }
};

// Another process has created it, with the same options or others; or somebody has inserted into it by hand.
const assertCapped = async (
  database: MongoNotifyProvider["database"],
  name: string,
): Promise<void> => {
  // What every server answers to `listCollections`.
  const answer = (await database.command({ listCollections: 1, filter: { name } })) as {
    readonly cursor: {
      readonly firstBatch: readonly { readonly options?: { readonly capped?: boolean } }[];
    };
  };
  if (answer.cursor.firstBatch[0]?.options?.capped !== true) {
    throw new MongoNotifyCollectionError(name);
  }
};
