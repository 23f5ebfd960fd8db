// The texts that travel between processes: JSON with a version and a sender.
// Strangers and other versions may publish on the same channels. A text is used only after each part of it has been
// checked; any other text is ignored. Its size is checked before it is parsed.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import type {
  ChannelSubscriber,
  NotifyChannel,
  NotifyCounters,
  OutgoingMessage,
} from "./notify-channel.ts";

const version = 1;

/** Bounds of one message, when it is sent and when it is received. */
export const notifyMessageLimits: {
  readonly lengthMax: number;
  readonly entriesMax: number;
  readonly hintIdLengthMax: number;
} = {
  // Characters. Transports send at most 16 KiB; a longer text is dropped without being parsed.
  lengthMax: 65_536,
  // Types or ids. More are sent in several messages.
  entriesMax: 1_000,
  hintIdLengthMax: 64,
};
const droppedReportIntervalMs = 60_000;
const instanceIdLengthMax = 64;
// Names and ids have at most 255 characters where they are made; ids of some stores are longer.
const keyLengthMax = 1_024;

export type NotifyEntry = readonly [key: string, count: number];

export interface NotifyMessage {
  /** The adapter instance that sent it. */
  readonly from: string;
  readonly hintId: string | undefined;
  /** Type names with counts, or ids with 1. */
  readonly entries: readonly NotifyEntry[];
}

interface WireMessage {
  readonly v: number;
  readonly from: string;
  readonly hint?: string;
  readonly jobs?: readonly NotifyEntry[];
  readonly ids?: readonly string[];
}

const textOf = (
  channel: NotifyChannel,
  from: string,
  entries: readonly NotifyEntry[],
  hintId: string | undefined,
): string => {
  const head = { v: version, from, ...(hintId !== undefined && { hint: hintId }) };
  const message: WireMessage =
    channel === "jobScheduled"
      ? { ...head, jobs: entries }
      : { ...head, ids: entries.map(([key]) => key) };
  return JSON.stringify(message);
};

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** `tooLarge`: keys that fit no message. */
export interface EncodedMessages {
  readonly messages: readonly OutgoingMessage[];
  readonly tooLarge: readonly string[];
}

/** Puts the entries of one sender and channel into as few messages as the limits allow. */
export const createNotifyEncoder = (
  channel: NotifyChannel,
  from: string,
  payloadBytesMax: number,
): ((entries: Iterable<NotifyEntry>) => EncodedMessages) => {
  const { entriesMax, hintIdLengthMax } = notifyMessageLimits;
  const head = textOf(channel, from, [], "x".repeat(hintIdLengthMax));
  const room = payloadBytesMax - Buffer.byteLength(head);

  return (entries) => {
    const chunks: NotifyEntry[][] = [];
    const tooLarge: string[] = [];
    let chunk: NotifyEntry[] = [];
    let left = 0;
    for (const entry of entries) {
      // One more for the comma.
      const size = bytes(channel === "jobScheduled" ? entry : entry[0]) + 1;
      if (size > room) {
        tooLarge.push(entry[0]);
        continue;
      }
      if (size > left || chunk.length === entriesMax) {
        chunk = [];
        chunks.push(chunk);
        left = room;
      }
      chunk.push(entry);
      left -= size;
    }
    return { messages: chunks.map((each) => toOutgoing(channel, from, each)), tooLarge };
  };
};

const toOutgoing = (
  channel: NotifyChannel,
  from: string,
  entries: readonly NotifyEntry[],
): OutgoingMessage => ({
  counts: channel === "jobScheduled" ? toHints(entries) : [],
  text: (hintId, left) =>
    textOf(channel, from, left === undefined ? entries : toEntries(left), hintId),
});

const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= lengthMax;

const isJobEntry = (value: unknown): value is NotifyEntry =>
  Array.isArray(value) &&
  value.length === 2 &&
  isText(value[0], keyLengthMax) &&
  Number.isSafeInteger(value[1]) &&
  value[1] > 0;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so a foreign message: the caller counts it.
    return undefined;
  }
};

/** `foreign`: not a message of this version. `oversized`: over a limit. */
export const decodeNotifyMessage = (
  channel: NotifyChannel,
  text: string,
): NotifyMessage | "foreign" | "oversized" => {
  const { lengthMax, entriesMax, hintIdLengthMax } = notifyMessageLimits;
  if (text.length > lengthMax) return "oversized";
  const value = parse(text);
  if (typeof value !== "object" || value === null) return "foreign";
  const { v, from, hint, jobs, ids }: { readonly [TKey in keyof WireMessage]?: unknown } = value;
  if (v !== version || !isText(from, instanceIdLengthMax)) return "foreign";
  if (hint !== undefined && !isText(hint, hintIdLengthMax)) return "foreign";
  const list = channel === "jobScheduled" ? jobs : ids;
  if (!Array.isArray(list) || list.length === 0) return "foreign";
  if (list.length > entriesMax) return "oversized";
  if (channel === "jobScheduled") {
    return list.every(isJobEntry) ? { from, hintId: hint, entries: list } : "foreign";
  }
  const isId = (id: unknown): id is string => isText(id, keyLengthMax);
  if (!list.every(isId)) return "foreign";
  return { from, hintId: hint, entries: list.map((id) => [id, 1] as const) };
};

export interface NotifyReceiverOptions {
  readonly channel: NotifyChannel;
  readonly instanceId: string;
  readonly counters: NotifyCounters;
  /** Receives errors that no caller waits for. */
  readonly report: (error: unknown) => void;
  readonly onMessage: (message: NotifyMessage) => void;
  /** For a message that only this process receives; returns the jobs for which no listener has room. */
  readonly onOffer?: (message: NotifyMessage) => readonly JobScheduledHint[];
}

/** Decodes messages, and passes on those of other processes. */
export const createNotifyReceiver = ({
  channel,
  instanceId,
  counters,
  report,
  onMessage,
  onOffer,
}: NotifyReceiverOptions): Omit<ChannelSubscriber, "onReconnected"> => {
  const reportDropped = createDroppedReport(channel, report);
  const decode = (text: string): NotifyMessage | undefined => {
    const message = decodeNotifyMessage(channel, text);
    if (message === "foreign") counters.ignored += 1;
    else if (message === "oversized") {
      counters.dropped += 1;
      reportDropped();
    } else return message;
    return undefined;
  };
  const isOwn = ({ from }: NotifyMessage): boolean => {
    if (from === instanceId) counters.returned += 1;
    else counters.received += 1;
    return from === instanceId;
  };
  return {
    onMessage: (text) => {
      const message = decode(text);
      if (message !== undefined && !isOwn(message)) onMessage(message);
    },
    ...(onOffer && {
      onOffer: (text) => {
        const message = decode(text);
        if (message === undefined) return [];
        return isOwn(message) ? toHints(message.entries) : onOffer(message);
      },
    }),
  };
};

/** Reports the first oversized message at once, and the following ones as a count, once a minute at most. */
const createDroppedReport = (
  channel: NotifyChannel,
  report: (error: unknown) => void,
): (() => void) => {
  const { lengthMax, entriesMax } = notifyMessageLimits;
  let count = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    count += 1;
    const now = performance.now();
    if (now - reportedAt < droppedReportIntervalMs) return;
    const limit = `more than ${lengthMax} characters or ${entriesMax} entries`;
    report(
      new Error(
        `${count} messages of ${limit} were dropped on the channel ${channel}. ` +
          "Check which program publishes on it.",
      ),
    );
    count = 0;
    reportedAt = now;
  };
};

/** The entries of hints. A count that is not a positive whole number is left out. */
export const toEntries = (hints: readonly JobScheduledHint[]): readonly NotifyEntry[] =>
  hints
    .filter(({ count }) => Number.isSafeInteger(count) && count > 0)
    .map(({ typeName, count }) => [typeName, count] as const);

export const toHints = (entries: readonly NotifyEntry[]): readonly JobScheduledHint[] =>
  entries.map(([typeName, count]) => ({ typeName, count }));
