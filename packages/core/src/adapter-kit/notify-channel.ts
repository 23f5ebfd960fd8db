// oxlint-disable max-lines -- a channel and the contract of its transport are read together.
// One channel of a notify adapter: an outbox for the notifications of this process, and one subscription for all its
// listeners. The adapter calls its own listeners before it publishes, so own messages that come back are ignored.
import { createDeferred, type Deferred } from "../async/deferred.ts";
import { rejectAfter } from "../async/time-limit.ts";
import {
  createNotifyEncoder,
  createNotifyReceiver,
  type NotifyEntry,
  type NotifyReceiverOptions,
} from "./notify-message.ts";
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";

/** A worker starts without notifications rather than later than this. */
export const subscribeTimeoutMs = 5_000;

export interface NotifyChannelOptions extends NotifyReceiverOptions {
  /** The channel's topic in the store that the adapter is bound to. */
  readonly topic: () => NotifyTopic;
  readonly transport: NotifyTransport;
  readonly onReconnected: () => void;
}

export interface OpenNotifyChannel {
  publish(entries: Iterable<NotifyEntry>): Promise<void>;
  /** Adds a listener. Removes it when the subscription cannot be made, or when the returned function is called. */
  hold(add: () => void, remove: () => void): Promise<() => Promise<void>>;
  /** The connection may be back: publishes the kept notifications now. */
  retryNow(): void;
  close(): Promise<void>;
}

export const openNotifyChannel = (options: NotifyChannelOptions): OpenNotifyChannel => {
  const { channel, topic, transport, instanceId, counters, report } = options;
  const encode = createNotifyEncoder(channel, instanceId, transport.payloadBytesMax);

  const outbox = new NotifyOutbox({
    ...outboxLimits,
    send: async (entries) => {
      const { messages, tooLarge } = encode(entries);
      // Another try would not make them smaller, so the batch has not failed.
      if (tooLarge.length > 0) {
        report(new Error(`${tooLarge.length} names are too long for a message on ${channel}.`));
      }
      if (messages.length === 0) return;
      await transport.publish(topic(), messages);
      counters.published += messages.length;
    },
    onFailed: () => (counters.publishFailed += 1),
  });

  const subscription = createSharedSubscription(
    () =>
      transport.subscribe(topic(), {
        ...createNotifyReceiver(options),
        onReconnected: () => {
          counters.reconnected += 1;
          options.onReconnected();
        },
      }),
    report,
  );

  return {
    publish: (entries) => outbox.add(entries),
    hold: async (add, remove) => {
      // Before subscribing: a message may arrive before the subscription is known to be active.
      add();
      try {
        const release = await subscription.hold();
        return () => {
          remove();
          return release();
        };
      } catch (error) {
        remove();
        throw error;
      }
    },
    retryNow: () => outbox.retryNow(),
    close: async () => {
      await outbox.close();
      await subscription.close();
    },
  };
};

/** Bounds of every outbox. */
export const outboxLimits = {
  /** Distinct types or ids that may wait. */
  keysMax: 10_000,
  // A half-open connection never answers. Polling finds the jobs later than this.
  timeoutMs: 2_000,
  retryDelayMinMs: 50,
  retryDelayMaxMs: 2_000,
  /** How long entries are kept after the first failure: the poll interval of workers with a notify adapter. */
  keptMs: 10_000,
};

export interface NotifyOutboxOptions extends Readonly<Record<keyof typeof outboxLimits, number>> {
  readonly send: (entries: ReadonlyMap<string, number>) => Promise<void>;
  /** A batch could not be published; its callers receive the error. */
  readonly onFailed: () => void;
}

interface Failure {
  readonly error: unknown;
  readonly since: number;
  readonly retryDelayMs: number;
}

/**
 * Notifications that wait to be published. Starting and settling jobs never waits for publishing:
 * - Idle: a notification is published at once. While one batch is being published, the next one gathers, and all its
 *   callers share one promise.
 * - Broken: callers receive the error at once. Their notifications are kept and published again with backoff, until
 *   polling has found their jobs.
 * - Bounded: further keys are refused when `keysMax` wait.
 */
export class NotifyOutbox {
  readonly #options: NotifyOutboxOptions;
  #gathering = new Map<string, number>();
  #batch: Deferred<void> = newBatch();
  #publishing: Promise<void> | undefined;
  #failure: Failure | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotifyOutboxOptions) {
    this.#options = options;
  }

  /** Resolves when the entries are published. Counts of one key add up. */
  async add(entries: Iterable<NotifyEntry>): Promise<void> {
    if (this.#closed) return;
    const refused = this.#gather(entries);
    if (this.#gathering.size === 0) return;
    const { promise } = this.#batch;
    const willBeRetried = this.#retryTimer !== undefined || this.#publishing !== undefined;
    if (this.#failure !== undefined && willBeRetried) {
      const reason = "Notifications cannot be published now. Polling finds the jobs.";
      throw new Error(reason, { cause: this.#failure.error });
    }
    this.#publish();
    await promise;
    if (refused === 0) return;
    const waiting = `${refused} notifications were not sent, since ${this.#options.keysMax} are waiting.`;
    throw new Error(`${waiting} Polling finds their jobs.`);
  }

  /** The connection may be back: publishes the kept entries now. */
  retryNow(): void {
    if (this.#failure !== undefined && !this.#closed) this.#publish();
  }

  /** Publishes the gathered entries, if publishing works, and takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopRetrying();
    await this.#publishing;
    this.#gathering.clear();
  }

  #gather(entries: Iterable<NotifyEntry>): number {
    let refused = 0;
    for (const [key, count] of entries) {
      const known = this.#gathering.get(key);
      if (known === undefined && this.#gathering.size >= this.#options.keysMax) refused += 1;
      else this.#gathering.set(key, Math.min((known ?? 0) + count, Number.MAX_SAFE_INTEGER));
    }
    return refused;
  }

  #publish(): void {
    this.#stopRetrying();
    this.#publishing ??= this.#publishGathered().finally(() => {
      this.#publishing = undefined;
    });
  }

  async #publishGathered(): Promise<void> {
    const { send, timeoutMs } = this.#options;
    while (this.#gathering.size > 0) {
      const entries = this.#gathering;
      const batch = this.#batch;
      this.#gathering = new Map();
      this.#batch = newBatch();
      try {
        await rejectAfter(send(entries), timeoutMs, "Publishing notifications");
        this.#failure = undefined;
        batch.resolve();
      } catch (error) {
        this.#failed(error, entries);
        batch.reject(error);
        // Callers that came meanwhile receive the error as well.
        this.#batch.reject(error);
        this.#batch = newBatch();
        return;
      }
    }
  }

  #failed(error: unknown, entries: ReadonlyMap<string, number>): void {
    const { onFailed, keptMs, retryDelayMinMs, retryDelayMaxMs } = this.#options;
    onFailed();
    const now = Date.now();
    const before = this.#failure;
    const kept = before === undefined || now - before.since < keptMs;
    if (kept) this.#gather(entries);
    const retryDelayMs =
      before === undefined ? retryDelayMinMs : Math.min(before.retryDelayMs * 2, retryDelayMaxMs);
    this.#failure = { error, since: kept ? (before?.since ?? now) : now, retryDelayMs };
    if (this.#closed || this.#gathering.size === 0) return;
    // The timer does not keep a process alive.
    this.#retryTimer = setTimeout(() => this.#publish(), retryDelayMs).unref();
  }

  #stopRetrying(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }
}

const newBatch = (): Deferred<void> => {
  const batch = createDeferred<void>();
  // A batch without callers may fail, such as one that is published again.
  batch.promise.catch(() => undefined);
  return batch;
};

/**
 * One subscription for many holders: made for the first, ended with the last. Making and ending are steps of one queue,
 * and each step counts the holders when its turn comes. So a holder that comes while the last one leaves neither loses
 * its subscription nor makes a second one. `hold` resolves when the subscription is active, to its release.
 */
const createSharedSubscription = (
  subscribe: () => Promise<() => Promise<void>>,
  onEndFailed: (error: unknown) => void,
): { hold: () => Promise<() => Promise<void>>; close: () => Promise<void> } => {
  let holders = 0;
  let closed = false;
  let active: (() => Promise<void>) | undefined;
  let queue: Promise<void> = Promise.resolve();

  const end = async (running: () => Promise<void>): Promise<void> => {
    try {
      await rejectAfter(running(), subscribeTimeoutMs, "Ending a subscription");
    } catch (error) {
      // Most likely the connection is lost, and the subscription with it.
      onEndFailed(error);
    }
  };
  const step = async (): Promise<void> => {
    const wanted = holders > 0 && !closed;
    if (wanted && active === undefined) {
      const attempt = subscribe();
      try {
        active = await rejectAfter(attempt, subscribeTimeoutMs, "Subscribing");
      } catch (error) {
        // It may still succeed later, without a holder to end it.
        attempt.then(end, () => undefined);
        throw error;
      }
    } else if (!wanted && active !== undefined) {
      const running = active;
      active = undefined;
      await end(running);
    }
  };
  const reconcile = (): Promise<void> => {
    const turn = queue.then(step);
    // The caller of this turn receives the error; the next turn runs all the same.
    queue = turn.catch(() => undefined);
    return turn;
  };

  return {
    hold: async () => {
      if (closed) throw new Error("The notify adapter is closed.");
      holders += 1;
      let isHeld = true;
      const release = (): Promise<void> => {
        if (isHeld) holders -= 1;
        isHeld = false;
        return reconcile();
      };
      try {
        await reconcile();
      } catch (error) {
        isHeld = false;
        holders -= 1;
        throw error;
      }
      return release;
    },
    close: () => {
      closed = true;
      return reconcile();
    },
  };
};

// The contract between a broker and `createChannelNotifyAdapter`, which makes a whole notify adapter of a transport.
// Fan-out, batches, message texts, delivery within the process and hints are decided above it, once for all transports.

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
