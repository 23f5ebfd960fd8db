// What travels between processes: small JSON texts with a version and the sender.
// Channels are shared with strangers and with other versions of us, so a text is believed only after every part of
// it has been checked; what is not ours is no error, just not a message.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import { memoizeLast } from "./memoize-last.ts";
import type { NotifyChannel, OutgoingMessage } from "./notify-transport.ts";

const version = 1;

export const hintIdLengthMax = 64;
const instanceIdLengthMax = 64;
// Names and ids are limited to 255 characters where they are made; a little room for stores with ids of their own.
const keyLengthMax = 1_024;
// Whatever the transports allow, now or later: longer texts are not even parsed.
const textLengthMax = 1_048_576;

export interface NotifyMessage {
  /** The adapter instance that sent it: it has told its own listeners already. */
  readonly from: string;
  readonly hintId: string | undefined;
  /** Type names with counts, or ids with 1. */
  readonly entries: readonly (readonly [key: string, count: number])[];
}

interface WireMessage {
  readonly v: number;
  readonly from: string;
  readonly hint?: string;
  readonly jobs?: readonly (readonly [string, number])[];
  readonly ids?: readonly string[];
}

const textOf = (
  channel: NotifyChannel,
  from: string,
  entries: NotifyMessage["entries"],
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

/** `tooLarge`: entries too large for a message of their own, of which nobody can be told. */
export interface EncodedMessages {
  readonly messages: readonly OutgoingMessage[];
  readonly tooLarge: readonly string[];
}

export type NotifyEncoder = (
  entries: Iterable<readonly [key: string, count: number]>,
) => EncodedMessages;

/** Puts the entries of one sender and channel into as few messages as their size allows. */
export const createNotifyEncoder = (
  channel: NotifyChannel,
  from: string,
  payloadBytesMax: number,
): NotifyEncoder => {
  const room =
    payloadBytesMax - Buffer.byteLength(textOf(channel, from, [], "x".repeat(hintIdLengthMax)));
  const encode = memoizeLast((key: string, count: number) =>
    encodeEntries(channel, from, [[key, count]], room),
  );
  return (entries) => {
    const all = [...entries];
    const [only] = all;
    // Where little goes on, one message is mostly as the last: a job of the same type.
    return only !== undefined && all.length === 1
      ? encode(...only)
      : encodeEntries(channel, from, all, room);
  };
};

const encodeEntries = (
  channel: NotifyChannel,
  from: string,
  entries: readonly (readonly [key: string, count: number])[],
  room: number,
): EncodedMessages => {
  const chunks: (readonly [string, number])[][] = [];
  const tooLarge: string[] = [];
  let left = 0;
  for (const entry of entries) {
    // One more for the comma.
    const size = bytes(channel === "jobScheduled" ? entry : entry[0]) + 1;
    if (size > room) {
      tooLarge.push(entry[0]);
    } else {
      if (chunks.length === 0 || size > left) {
        chunks.push([]);
        left = room;
      }
      chunks.at(-1)?.push(entry);
      left -= size;
    }
  }
  return { messages: chunks.map((chunk) => toOutgoing(channel, from, chunk)), tooLarge };
};

const toOutgoing = (
  channel: NotifyChannel,
  from: string,
  entries: NotifyMessage["entries"],
): OutgoingMessage => {
  let plain: string | undefined;
  return {
    counts: channel === "jobScheduled" ? toHints(entries) : [],
    text: (hintId, left) =>
      hintId === undefined && left === undefined
        ? (plain ??= textOf(channel, from, entries, undefined))
        : textOf(channel, from, left === undefined ? entries : toEntries(left), hintId),
  };
};

const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= lengthMax;

const isJobEntry = (value: unknown): value is readonly [string, number] =>
  Array.isArray(value) &&
  value.length === 2 &&
  isText(value[0], keyLengthMax) &&
  Number.isSafeInteger(value[1]) &&
  value[1] > 0;

const entriesOf = (
  channel: NotifyChannel,
  { jobs, ids }: Partial<Record<string, unknown>>,
): NotifyMessage["entries"] | undefined => {
  if (channel === "jobScheduled") {
    return Array.isArray(jobs) && jobs.length > 0 && jobs.every(isJobEntry) ? jobs : undefined;
  }
  const valid = Array.isArray(ids) && ids.length > 0 && ids.every((id) => isText(id, keyLengthMax));
  return valid ? ids.map((id): readonly [string, number] => [id, 1]) : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not ours: the caller counts it.
    return undefined;
  }
};

/** Decodes the messages of a channel. What comes twice in a row is read once. */
export const createNotifyDecoder = (
  channel: NotifyChannel,
): ((text: string) => NotifyMessage | undefined) =>
  memoizeLast((text) => decodeNotifyMessage(channel, text));

/** The message in a text, or undefined if it is none of ours, broken, or of a version we do not know. */
export const decodeNotifyMessage = (
  channel: NotifyChannel,
  text: string,
): NotifyMessage | undefined => {
  if (text.length > textLengthMax) return undefined;
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const message: Partial<Record<string, unknown>> = { ...value };
  if (message["v"] !== version || !isText(message["from"], instanceIdLengthMax)) return undefined;
  const hintId = message["hint"];
  if (hintId !== undefined && !isText(hintId, hintIdLengthMax)) return undefined;
  const entries = entriesOf(channel, message);
  return entries && { from: message["from"], hintId, entries };
};

/** The entries of hints. Counts that are no positive whole number say nothing and are left out. */
export const toEntries = (
  hints: readonly JobScheduledHint[],
): (readonly [key: string, count: number])[] =>
  hints
    .filter(({ count }) => Number.isSafeInteger(count) && count > 0)
    .map(({ typeName, count }) => [typeName, count] as const);

export const toHints = (entries: NotifyMessage["entries"]): readonly JobScheduledHint[] =>
  entries.map(([typeName, count]) => ({ typeName, count }));
