// The contract between a broker and `createChannelNotifyAdapter`, which makes a whole notify adapter of a transport.
// Fan-out, batches, message texts, delivery within the process and hints are decided above it, once for all transports.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";

/** The three kinds of notifications. */
export type NotifyChannel = "jobScheduled" | "sequenceCompleted" | "ownershipLost";

/** The channels on the wire: the same words in every transport. */
const channelWords: Readonly<Record<NotifyChannel, string>> = {
  jobScheduled: "sched",
  sequenceCompleted: "seqc",
  ownershipLost: "owls",
};

/** A channel of one store. A transport makes its name of a prefix and the words. */
export interface NotifyTopic {
  readonly channel: NotifyChannel;
  /** `sched`, `seqc` or `owls`, then the identity of the store if the adapter is bound: letters and digits. */
  readonly words: readonly string[];
}

export const toNotifyTopic = (channel: NotifyChannel, storeId: string): NotifyTopic => ({
  channel,
  words: storeId === "" ? [channelWords[channel]] : [channelWords[channel], storeId],
});

export interface OutgoingMessage {
  /** Jobs by type; empty on the other channels. A transport that keeps hints stores these counts. */
  readonly counts: readonly JobScheduledHint[];
  /**
   * The text to send. `hintId` names the stored counts in at most 64 ASCII characters. `left` replaces the counts if the
   * transport has already found takers for some of the jobs.
   */
  readonly text: (hintId?: string, left?: readonly JobScheduledHint[]) => string;
}

export interface ChannelSubscriber {
  readonly onMessage: (text: string) => void;
  /**
   * Present on the channel of scheduled jobs, for a message that only this process receives. Wakes listeners for as many
   * jobs as they have room for, and returns the rest. The transport passes the rest on to other processes.
   */
  readonly onOffer?: (text: string) => readonly JobScheduledHint[];
  /** The subscription was lost and is active again: notifications may have been missed. */
  readonly onReconnected: () => void;
}

export interface NotifyTransport {
  /**
   * Whether a message about N jobs wakes about N listeners in all processes. If not, every process wakes listeners for
   * all jobs that it has room for.
   */
  readonly sharesHints: boolean;
  /** The largest text that may be sent, in bytes of UTF-8. */
  readonly payloadBytesMax: number;
  /**
   * Sends the messages to the present subscribers of the topic.
   * - Called again only when the previous call on that channel has settled or timed out.
   * - Rejects at once when there is no connection: messages are not queued.
   */
  publish(topic: NotifyTopic, messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Resolves when the subscription is active, to a function that ends it.
   * - At most one subscription per topic at a time.
   * - A lost subscription is made again with backoff; then `onReconnected` is called.
   * - The subscriber is not called after the returned function has resolved.
   */
  subscribe(topic: NotifyTopic, subscriber: ChannelSubscriber): Promise<() => Promise<void>>;
  /**
   * Takes up to `wanted` of the jobs that are left of a hint. Resolves to one count per element of `wanted`, in its order.
   * - Left out if the transport stores no counts. Messages then name no hint.
   * - If it rejects, the listeners are woken anyway.
   */
  takeHints?(
    topic: NotifyTopic,
    hintId: string,
    wanted: readonly JobScheduledHint[],
  ): Promise<readonly number[]>;
  /** Closes everything that the transport opened, and nothing that it was given. */
  close(): Promise<void>;
}

/** Counters of a notify adapter since its creation, for tests, benchmarks and diagnosis. */
export interface NotifyStats {
  /** Messages handed to the transport. */
  readonly published: number;
  /** Batches that could not be published. */
  readonly publishFailed: number;
  /** Messages of other processes that were acted upon. */
  readonly received: number;
  /** Own messages that came back from the broker: their listeners had been called already. */
  readonly returned: number;
  /** Foreign, broken or future messages. */
  readonly ignored: number;
  /** Messages over the limits of size or entries. */
  readonly dropped: number;
  /** Jobs of hints that this process took for its listeners. */
  readonly hintsTaken: number;
  /** Hints of which other processes had taken all jobs. */
  readonly hintsMissed: number;
  /** Hints that could not be read, so that listeners were woken anyway. */
  readonly hintsGuessed: number;
  /** Subscriptions that were lost and are active again. */
  readonly reconnected: number;
}

export type NotifyCounters = { -readonly [TName in keyof NotifyStats]: NotifyStats[TName] };

export const createNotifyCounters = (): NotifyCounters => ({
  published: 0,
  publishFailed: 0,
  received: 0,
  returned: 0,
  ignored: 0,
  dropped: 0,
  hintsTaken: 0,
  hintsMissed: 0,
  hintsGuessed: 0,
  reconnected: 0,
});
