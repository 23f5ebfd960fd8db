// One cursor at the end of the notification collection, for all channels of a process. A change stream
// would wait until a majority has the document: 90 ms on an idle server, where this cursor takes one.
// Notifications may be lost, so the primary is enough.
import { randomUUID } from "node:crypto";
import {
  createDeferred,
  type SubscriberConnection,
  type SubscriberConnectionEvents,
  rejectAfter,
} from "queuert/internal";
import type { NotifyCollection, TailableCursor } from "./notify-provider.ts";
import { plainValues } from "./store.ts";

export interface NotificationDocument {
  readonly channel: string;
  readonly text: string;
}

// The server replies at least this often: a dead connection differs from a quiet one.
const awaitMs = 5_000;
/** The timeout of each step on the way to listening. */
export const openMs = 5_000;
/** The timeout of other commands: a notification later than the next poll has no use. */
export const replyMs = 2_000;
/** A cursor that is silent for longer counts as dead. */
export const pingMs: number = awaitMs + replyMs;

// Never a channel's name: those have a prefix.
export const markChannel = "";

/** Starts to tail. Resolves when later publications arrive. Leaves nothing open when it rejects. */
export const openNotificationTail = async (
  collection: NotifyCollection,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  // Publications before the mark are old. And an empty collection cannot be tailed.
  const mark = randomUUID();
  const document: NotificationDocument = { channel: markChannel, text: mark };
  const inserted = collection.insertMany([document], { writeConcern: { w: 1 } });
  await rejectAfter(inserted, openMs, "Marking the end of the notifications");
  const cursor = collection.find(
    {},
    {
      ...plainValues,
      projection: { _id: 0 },
      tailable: true,
      awaitData: true,
      maxAwaitTimeMS: awaitMs,
      readPreference: "primary",
      readConcern: { level: "local" },
    },
  );
  const state: TailState = { closed: false, waiting: [] };
  const marked = createDeferred<void>();
  let seen = false;
  void tail(cursor, state, {
    onMessage: (document) => {
      if (seen) onMessage(document.channel, document.text);
      else if (document.channel === markChannel && document.text === mark) {
        seen = true;
        marked.resolve();
      }
    },
    onLost: (error) => {
      marked.reject(error);
      onLost(error);
    },
  });
  const close = async (): Promise<void> => {
    state.closed = true;
    // The server drops the cursor of a lost connection by itself.
    await rejectAfter(Promise.resolve(cursor.close()), replyMs, "Closing the cursor");
  };
  try {
    await rejectAfter(marked.promise, openMs, "Opening the notification collection");
  } catch (error) {
    // This error is the cause. One of closing would hide it.
    await close().catch(() => undefined);
    throw error;
  }
  return {
    // All channels come over the one cursor.
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    ping: () => new Promise<void>((resolve) => state.waiting.push(resolve)),
    close,
  };
};

interface TailState {
  closed: boolean;
  /** Called at the server's next reply. */
  waiting: (() => void)[];
}

interface TailEvents {
  readonly onMessage: (document: NotificationDocument) => void;
  readonly onLost: (error: unknown) => void;
}

const tail = async (
  cursor: TailableCursor,
  state: TailState,
  { onMessage, onLost }: TailEvents,
): Promise<void> => {
  try {
    while (!state.closed) {
      const document = await cursor.tryNext();
      for (const resolve of state.waiting.splice(0)) resolve();
      // Other applications may write to this collection: the shape is checked.
      if (isNotification(document) && !state.closed) onMessage(document);
      else if (document === null && isEnded(cursor)) {
        throw new Error("The cursor on the notification collection has ended.");
      }
    }
  } catch (error) {
    if (!state.closed) onLost(error);
  }
};

// A cursor that was overtaken by writers, or whose collection was dropped, returns null at once, for ever.
const isEnded = (
  cursor: TailableCursor & { readonly id?: unknown; readonly closed?: unknown },
): boolean =>
  cursor.closed === true ||
  (typeof cursor.id === "object" && cursor.id !== null && isZero(cursor.id));

const isZero = (id: object & { readonly isZero?: unknown }): boolean =>
  typeof id.isZero === "function" && id.isZero.call(id) === true;

const isNotification = (document: object | null): document is NotificationDocument =>
  document !== null &&
  "channel" in document &&
  typeof document.channel === "string" &&
  "text" in document &&
  typeof document.text === "string";
