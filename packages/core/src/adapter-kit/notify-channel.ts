// One channel of a notify adapter: an outbox for what this process tells, and one subscription for all its listeners.
// Only messages of other processes come out of it: this adapter tells its own listeners before it publishes.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import {
  createNotifyDecoder,
  createNotifyEncoder,
  type NotifyMessage,
  toHints,
} from "./notify-message.ts";
import { NotifyOutbox, type NotifyEntries } from "./notify-outbox.ts";
import type { NotifyCounters } from "./notify-stats.ts";
import type { ChannelSubscriber, NotifyChannel, NotifyTransport } from "./notify-transport.ts";
import { createSharedSubscription } from "./shared-subscription.ts";

/** Bounds of every channel. */
export const notifyLimits: {
  readonly keysMax: number;
  readonly publishTimeoutMs: number;
  readonly subscribeTimeoutMs: number;
  readonly takeTimeoutMs: number;
  readonly retryDelayMinMs: number;
  readonly retryDelayMaxMs: number;
  readonly keptMs: number;
} = {
  // Distinct types or ids that may wait to be published.
  keysMax: 10_000,
  // A half-open connection never answers: give up long before polling would have found the jobs.
  publishTimeoutMs: 2_000,
  // A worker starts without notifications rather than later than this.
  subscribeTimeoutMs: 5_000,
  // Waking for nothing costs one query; waiting longer than this costs more.
  takeTimeoutMs: 500,
  retryDelayMinMs: 50,
  retryDelayMaxMs: 2_000,
  // As long as workers with a notify adapter poll: after that the jobs have been found.
  keptMs: 10_000,
};

export interface NotifyChannelOptions {
  readonly channel: NotifyChannel;
  readonly transport: NotifyTransport;
  readonly instanceId: string;
  readonly counters: NotifyCounters;
  /** Errors that nobody waits for. */
  readonly report: (error: unknown) => void;
  readonly onMessage: (message: NotifyMessage) => void;
  /** The same for one that nobody else was given; answers what is left of it. */
  readonly onOffer?: (message: NotifyMessage) => readonly JobScheduledHint[];
  readonly onReconnected: () => void;
}

export interface HeldListener {
  add(): void;
  remove(): void;
}

export interface OpenNotifyChannel {
  publish(entries: NotifyEntries): Promise<void>;
  /** Adds a listener, and takes it away again when the subscription cannot be made or the returned function is called. */
  hold(listener: HeldListener): Promise<() => Promise<void>>;
  retryNow(): void;
  close(): Promise<void>;
}

/** What is done with messages of others; those of our own were told before they were published. */
const createEars = ({
  channel,
  instanceId,
  counters,
  onMessage,
  onOffer,
}: NotifyChannelOptions): Omit<ChannelSubscriber, "onReconnected"> => {
  const decode = createNotifyDecoder(channel);
  const isOwn = ({ from }: NotifyMessage): boolean => {
    if (from === instanceId) counters.returned += 1;
    else counters.received += 1;
    return from === instanceId;
  };
  return {
    onMessage: (text) => {
      const message = decode(text);
      if (message === undefined) counters.ignored += 1;
      else if (!isOwn(message)) onMessage(message);
    },
    ...(onOffer && {
      onOffer: (text) => {
        const message = decode(text);
        if (message !== undefined)
          return isOwn(message) ? toHints(message.entries) : onOffer(message);
        counters.ignored += 1;
        return [];
      },
    }),
  };
};

export const openNotifyChannel = (options: NotifyChannelOptions): OpenNotifyChannel => {
  const { channel, transport, instanceId, counters, report } = options;

  const encode = createNotifyEncoder(channel, instanceId, transport.payloadBytesMax);
  const send = async (entries: ReadonlyMap<string, number>): Promise<void> => {
    const { messages, tooLarge } = encode(entries);
    // Trying again would not make it smaller, so it is no failure of the batch.
    if (tooLarge.length > 0) {
      report(new Error(`${tooLarge.length} names are too long for a message on ${channel}.`));
    }
    if (messages.length === 0) return;
    await transport.publish(channel, messages);
    counters.published += messages.length;
  };

  const outbox = new NotifyOutbox({
    ...notifyLimits,
    timeoutMs: notifyLimits.publishTimeoutMs,
    send,
    onFailed: () => {
      // Reported by those who wait for the batch; a repetition would only be noise.
      counters.publishFailed += 1;
    },
  });

  const subscription = createSharedSubscription({
    subscribe: () =>
      transport.subscribe(channel, {
        ...createEars(options),
        onReconnected: () => {
          counters.reconnected += 1;
          options.onReconnected();
        },
      }),
    timeoutMs: notifyLimits.subscribeTimeoutMs,
    onEndFailed: report,
  });

  return {
    publish: (entries) => outbox.add(entries),
    hold: async (listener) => {
      // Before subscribing: a message may arrive before the subscription is known to be active.
      listener.add();
      try {
        const letGo = await subscription.hold();
        return () => {
          listener.remove();
          return letGo();
        };
      } catch (error) {
        listener.remove();
        throw error;
      }
    },
    retryNow: () => {
      outbox.retryNow();
    },
    close: async () => {
      await outbox.close();
      await subscription.close();
    },
  };
};
