// One cursor at the end of the notification collection, for all channels of a process. A capped collection and not a
// change stream: the cursor answers as soon as the primary has the document, in under a millisecond here, where a change
// stream waits until a majority has it, 90 ms on an idle server; and hints may be lost.
import { randomUUID } from "node:crypto";
import {
  createDeferred,
  type SubscriberConnection,
  type SubscriberConnectionEvents,
  withinTime,
} from "queuert/internal";
import type { NotifyCollection, TailableCursor } from "./notify-provider.ts";
import { plainValues } from "./store.ts";

export interface NotificationDocument {
  readonly channel: string;
  readonly text: string;
}

// The server answers at least this often, so that a dead connection is told from a quiet one.
const awaitMs = 5_000;
/** For how long each step on the way to listening is waited for. */
export const openMs = 5_000;
/** And anything else: a hint that is later than the next poll is of no use. */
export const answerMs = 2_000;
/** When a quiet cursor is a dead one. */
export const pingMs: number = awaitMs + answerMs;

// Never a channel's name: those have a prefix.
export const markChannel = "";

/** Starts to tail; resolves when whatever is published from then on arrives. Leaves nothing open when it rejects. */
export const openNotificationTail = async (
  collection: NotifyCollection,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  // What was published before the mark is old news. And an empty collection cannot be tailed.
  const mark = randomUUID();
  const document: NotificationDocument = { channel: markChannel, text: mark };
  const inserted = collection.insertMany([document], { writeConcern: { w: 1 } });
  await withinTime(inserted, openMs, "Marking the end of the notifications");
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
    // Nobody waits for a connection that is given up, and the server forgets its cursor by itself.
    await withinTime(Promise.resolve(cursor.close()), answerMs, "Closing the cursor");
  };
  try {
    await withinTime(marked.promise, openMs, "Opening the notification collection");
  } catch (error) {
    // Of two errors this one says why.
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
  /** Who wants to know that the server has answered. */
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
      for (const answered of state.waiting.splice(0)) answered();
      // Documents of others in this collection do not concern us; the shape is checked, not believed.
      if (isNotification(document) && !state.closed) onMessage(document);
      else if (document === null && isEnded(cursor)) {
        throw new Error("The cursor on the notification collection has ended.");
      }
    }
  } catch (error) {
    if (!state.closed) onLost(error);
  }
};

// A cursor that was overtaken by writers, or whose collection was dropped, answers null at once and for ever.
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
