// What a broker must offer so that `createChannelNotifyAdapter` can make a whole NotifyAdapter of it.
// Everything else (fan-out, coalescing, payloads, local delivery, hints granted by demand) is decided once, above it.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";

/** The three things that are told. A transport maps each to one channel, subject or collection of its own. */
export type NotifyChannel = "jobScheduled" | "sequenceCompleted" | "ownershipLost";

/** How the channels are called on the wire, after the prefix: the same words in every transport. */
export const notifyChannelSuffixes: Readonly<Record<NotifyChannel, string>> = {
  jobScheduled: "sched",
  sequenceCompleted: "seqc",
  ownershipLost: "owls",
};

export interface OutgoingMessage {
  /** Jobs by type in this message; empty on the other channels. What a transport with hints stores. */
  readonly counts: readonly JobScheduledHint[];
  /**
   * The text to send. A transport that has stored the counts names them here, in at most `hintIdLengthMax` ASCII characters;
   * one that has found takers for some of the jobs says what is left.
   */
  readonly text: (hintId?: string, left?: readonly JobScheduledHint[]) => string;
}

/** A hint as its message named it. */
export interface StoredHint {
  readonly id: string;
  /** What it was about when it was published; others may have taken of it since. */
  readonly counts: readonly JobScheduledHint[];
}

export interface ChannelSubscriber {
  readonly onMessage: (text: string) => void;
  /**
   * On the channel of scheduled jobs, for a message that was given to this process and to no other: wakes listeners for what
   * they have room for, and answers what is left, which is for the transport to tell others.
   */
  readonly onOffer?: (text: string) => readonly JobScheduledHint[];
  /** The subscription was lost and is active again: something may have been missed. */
  readonly onReconnected: () => void;
}

export interface NotifyTransport {
  /** The largest text that may be sent, in bytes of UTF-8. */
  readonly payloadBytesMax: number;
  /**
   * Sends the messages to whoever subscribes to the channel now.
   * - Called again only when the call before on that channel has settled, or has taken too long.
   * - Rejects at once when there is no connection: it must not queue for a better day.
   */
  publish(channel: NotifyChannel, messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Resolves when the subscription is active, to what ends it.
   * - At most one per channel at a time.
   * - Makes a lost subscription again by itself, with backoff, and then calls `onReconnected`.
   * - Nothing is called once the returned function has resolved.
   */
  subscribe(channel: NotifyChannel, subscriber: ChannelSubscriber): Promise<() => Promise<void>>;
  /**
   * Takes up to `wanted` of what is left of a hint, and says how many of each: an array in the same order as `wanted`.
   * Absent when the transport keeps no counts: then every listener is told. A rejection means "wake anyway".
   */
  takeHints?(hint: StoredHint, wanted: readonly JobScheduledHint[]): Promise<readonly number[]>;
  /** Closes what the transport opened, and nothing it was given. */
  close(): Promise<void>;
}
