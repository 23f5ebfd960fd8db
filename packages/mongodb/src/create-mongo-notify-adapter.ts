// A capped collection as the transport of a notify adapter: publishing inserts, listening tails.
import {
  assertInteger,
  assertName,
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
  createReconnectingSubscriber,
  hasMethods,
  InvalidOptionError,
  type NotifyTopic,
  type NotifyTransport,
  rejectAfter,
} from "queuert/internal";
import { isAlreadyThere, isStrictApi, isUnauthorized } from "./driver-errors.ts";
import { toNamedError } from "./named-errors.ts";
import { MongoNotifyCollectionError, MongoStrictApiError } from "./errors.ts";
import { markChannel, openMs, openNotificationTail, pingMs, replyMs } from "./notification-tail.ts";
import type { MongoNotifyProvider, NotifyCollection, NotifyDatabase } from "./notify-provider.ts";

/** The options of `createMongoNotifyAdapter`. */
export interface MongoNotifyAdapterOptions {
  /** The database, such as `{ database: client.db() }`. */
  readonly provider: MongoNotifyProvider;
  /** The beginning of the collection's name, as for the state adapter. Default: `"queuert_"`. */
  readonly collectionPrefix?: string | undefined;
  /** The size of the capped collection, which drops the oldest notifications. Default: 4 MiB. */
  readonly sizeBytes?: number | undefined;
  /** Receives errors that no call rejects with, such as lost connections. Default: none. The client reports them, too. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const defaultSizeBytes = 4 * 1_024 * 1_024;
const payloadBytesMax = 16_384;

/**
 * Notifications within MongoDB: no second system. Wakes every listener of a type, without hint counts.
 *
 * @example
 * ```ts
 * const client = new MongoClient("mongodb://localhost:27017/app?replicaSet=rs0");
 * const notifyAdapter = await createMongoNotifyAdapter({
 *   provider: createMongodbProvider({ client }),
 * });
 * ```
 */
// Asynchronous as all factories of adapters are. It connects at the first publication or listener.
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

// The cursor keeps its connection for seconds: any other command of the client would wait for it.
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
    // With a timeout: all callers wait for this one promise.
    creating ??= rejectAfter(
      createNotifyCollection(database, name, sizeBytes),
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
      // Checked each time: if the cursor was lost with its collection, the next publisher's insert has made
      // an ordinary one.
      creating = undefined;
      const ready = await created();
      return openNotificationTail(ready, events).catch(named);
    },
    onError,
    pingTimeoutMs: pingMs,
  });
  return {
    sharesHints: false,
    payloadBytesMax,
    publish: async (topic, messages) => {
      const documents = messages.map(({ text }) => ({ channel: nameOf(topic), text: text() }));
      const insert = async (): Promise<void> => {
        const ready = await created();
        await ready.insertMany(documents, { writeConcern: { w: 1 }, ordered: false }).catch(named);
      };
      await rejectAfter(insert(), replyMs, "Publishing");
    },
    subscribe: (topic, events) => subscriber.subscribe(nameOf(topic), events),
    close: () => subscriber.close(),
  };
};

const channelPrefix = "queuert_";

const nameOf = ({ words }: NotifyTopic): string => channelPrefix + words.join("_");

/** Resolves when the collection exists and is capped. The first process creates it. */
const createNotifyCollection = async (
  database: NotifyDatabase,
  name: string,
  sizeBytes: number,
): Promise<void> => {
  try {
    await database.command({ create: name, capped: true, size: sizeBytes });
  } catch (error) {
    const isThere = isAlreadyThere(error);
    // A user without the right to create it may use an existing one.
    if (!isThere && !isUnauthorized(error)) throw error;
    if (await isCapped(database, name)) return;
    if (!isThere) throw error;
    await repair(database, name, sizeBytes);
  }
};

// Another process has created it, with these options or others, or an insert has.
const isCapped = async (database: NotifyDatabase, name: string): Promise<boolean> => {
  // The shape of every server's reply to `listCollections`.
  interface Reply {
    readonly cursor: {
      readonly firstBatch: readonly { readonly options?: { readonly capped?: boolean } }[];
    };
  }
  try {
    const reply = (await database.command({ listCollections: 1, filter: { name } })) as Reply;
    return reply.cursor.firstBatch[0]?.options?.capped === true;
  } catch (error) {
    // Without the right to list it, it is taken for capped: tailing fails otherwise.
    if (isUnauthorized(error)) return true;
    throw error;
  }
};

/**
 * Converts an ordinary collection with only notifications in it: the collection was dropped, and a
 * publisher's insert has created it again.
 */
const repair = async (database: NotifyDatabase, name: string, sizeBytes: number): Promise<void> => {
  const channel = { $in: [markChannel, new RegExp(`^${channelPrefix}`)] };
  const ours = { channel, text: { $type: "string" } };
  const reply = (await database.command({
    ...{ find: name, filter: { $nor: [ours] }, limit: 1, singleBatch: true },
  })) as { readonly cursor: { readonly firstBatch: readonly object[] } };
  if (reply.cursor.firstBatch.length > 0) throw new MongoNotifyCollectionError(name);
  await database.command({ convertToCapped: name, size: sizeBytes });
};
