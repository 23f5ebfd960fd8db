// Makes a NotifyAdapter of a transport that can publish and subscribe (`notify-channel.ts`).
// - There are three channels. Listeners select messages by their payload, so subscriptions do not grow with listeners.
// - Each process has one subscription per channel, however many listeners it has (`notify-channel.ts`).
// - Listeners of the same process are called directly, before the message is published.
// - Notifications gather while one batch is being published, and are bounded (`notify-channel.ts`).
import { randomUUID } from "node:crypto";
import type {
  JobScheduledHint,
  JobScheduledListener,
  NotifyAdapter,
  StopListening,
} from "../adapters/notify-adapter.ts";
import { rejectAfter } from "../async/time-limit.ts";
import { InvalidOptionError } from "../errors.ts";
import { createHintDemand, createHintTaker, createListenersByKey } from "./hints.ts";
import {
  createNotifyCounters,
  type NotifyChannel,
  type NotifyChannelOptions,
  type NotifyStats,
  type NotifyTransport,
  openNotifyChannel,
  subscribeTimeoutMs,
  toNotifyTopic,
} from "./notify-channel.ts";
import { toEntries, toHints } from "./notify-message.ts";

export interface ChannelNotifyAdapter extends NotifyAdapter {
  /** Counters since the adapter was made. */
  stats(): NotifyStats;
}

export interface ChannelNotifyAdapterOptions {
  readonly transport: NotifyTransport;
  /**
   * Receives errors that no caller waits for: a hint that could not be taken, an oversized message, a listener that threw.
   * All of them cost latency at most.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const createChannelNotifyAdapter = ({
  transport,
  onError = () => undefined,
}: ChannelNotifyAdapterOptions): ChannelNotifyAdapter => {
  let storeId = "";
  let reportToStore: (error: unknown) => void = () => undefined;
  const report = (error: unknown): void => {
    onError(error);
    reportToStore(error);
  };
  const shared: SharedOptions = {
    transport,
    instanceId: randomUUID(),
    counters: createNotifyCounters(),
    report,
    call: (callback) => {
      try {
        callback();
      } catch (error) {
        // A listener that throws keeps the message from no other listener, and does not break the connection's reader.
        report(error);
      }
    },
    topicOf: (channel) => toNotifyTopic(channel, storeId),
    onReconnected: () => {
      for (const { retryNow } of channels) retryNow();
    },
  };
  const jobScheduled = openJobScheduledChannel(shared);
  const sequenceCompleted = openIdChannel("sequenceCompleted", shared);
  const ownershipLost = openIdChannel("ownershipLost", shared);
  const channels = [jobScheduled, sequenceCompleted, ownershipLost];

  const closeAll = async (): Promise<void> => {
    await Promise.all(channels.map((channel) => channel.close()));
    await rejectAfter(transport.close(), subscribeTimeoutMs, "Closing the transport");
  };
  let closing: Promise<void> | undefined;
  const unlessClosed = (notify: () => Promise<void>): Promise<void> =>
    closing === undefined ? notify() : Promise.resolve();

  return {
    bindStore: (store) => {
      assertBindable(storeId, store.storeId);
      ({ storeId, onError: reportToStore } = store);
    },
    notifyJobScheduled: (hints) => unlessClosed(() => jobScheduled.notify(hints)),
    listenJobScheduled: (listener): Promise<StopListening> => jobScheduled.listen(listener),
    notifyJobSequenceCompleted: (ids) => unlessClosed(() => sequenceCompleted.notify(ids)),
    listenJobSequenceCompleted: ({ sequenceIds, onSequenceCompleted }): Promise<StopListening> =>
      sequenceCompleted.listen({
        ids: sequenceIds,
        onId: onSequenceCompleted,
        onReconnected: () => {
          for (const id of sequenceIds) onSequenceCompleted(id);
        },
      }),
    notifyJobOwnershipLost: (ids) => unlessClosed(() => ownershipLost.notify(ids)),
    listenJobOwnershipLost: ({ onOwnershipLost, onReconnected }): Promise<StopListening> =>
      ownershipLost.listen({
        ids: undefined,
        onId: onOwnershipLost,
        onReconnected: () => onReconnected?.(),
      }),
    stats: () => ({ ...shared.counters }),
    close: () => (closing ??= closeAll()),
  };
};

const assertBindable = (bound: string, storeId: string): void => {
  if (!/^[a-z0-9]{8,16}$/.test(storeId)) {
    throw new InvalidOptionError("storeId", storeId, "give 8 to 16 characters of a-z and 0-9");
  }
  if (bound !== "" && bound !== storeId) {
    const remedy = "it serves another store; create a notify adapter for each store";
    throw new InvalidOptionError("notifyAdapter", "an adapter that is in use", remedy);
  }
};

interface SharedOptions extends Pick<
  NotifyChannelOptions,
  "transport" | "instanceId" | "counters" | "report" | "onReconnected"
> {
  readonly topicOf: (channel: NotifyChannel) => ReturnType<typeof toNotifyTopic>;
  /** Calls a listener; never throws. */
  readonly call: (callback: () => void) => void;
}

interface Channel<TNotified, TListener> {
  notify(notified: TNotified): Promise<void>;
  listen(listener: TListener): Promise<StopListening>;
  retryNow(): void;
  close(): Promise<void>;
}

/** Jobs have become due. Wakes listeners for about as many jobs as there are (`hints.ts`). */
const openJobScheduledChannel = (
  options: SharedOptions,
): Channel<readonly JobScheduledHint[], JobScheduledListener> => {
  const { transport, counters, report, call } = options;
  const listeners = createListenersByKey<JobScheduledListener>();
  const wake = (listener: JobScheduledListener, typeName: string, count?: number): void => {
    call(() => {
      listener.onJobScheduled(typeName, count);
    });
  };
  const topic = () => options.topicOf("jobScheduled");
  const demand = createHintDemand(listeners, wake);
  const take = createHintTaker(demand, counters, report);

  const receive = async (
    hintId: string | undefined,
    counts: readonly JobScheduledHint[],
  ): Promise<void> => {
    if (hintId === undefined || transport.takeHints === undefined) {
      demand.grant(counts);
      return;
    }
    const ask = transport.takeHints.bind(transport, topic(), hintId);
    const left = demand.grant(await take(counts, ask));
    // Listeners may have become busy meanwhile: other processes may still have room.
    if (left.length > 0) await channel.publish(toEntries(left));
  };

  const channel = openNotifyChannel({
    ...options,
    channel: "jobScheduled",
    topic,
    onMessage: ({ hintId, entries }) => {
      receive(hintId, toHints(entries)).catch(report);
    },
    onOffer: ({ entries }) => demand.grant(toHints(entries)),
    onReconnected: () => {
      for (const [listener, typeName] of listeners.pairs()) wake(listener, typeName);
      options.onReconnected();
    },
  });

  return {
    ...channel,
    notify: async (hints) => {
      const due = toEntries(hints);
      if (due.length === 0) return;
      const left = demand.grant(toHints(due));
      // Without hints, idle listeners elsewhere are unknown: a repeated acquisition is cheaper than a missed one.
      const sent = transport.sharesHints ? toEntries(left) : due;
      if (sent.length > 0) await channel.publish(sent);
    },
    listen: ({ typeNames, onJobScheduled, demand: room }) => {
      // An object of its own: the same listener may be given twice.
      const listener: JobScheduledListener = { typeNames, onJobScheduled, demand: room };
      return channel.hold(
        () => listeners.add(typeNames, listener),
        () => listeners.remove(typeNames, listener),
      );
    },
    close: () => {
      listeners.clear();
      return channel.close();
    },
  };
};

interface IdListener {
  /** Undefined: all ids. */
  readonly ids: readonly string[] | undefined;
  readonly onId: (id: string) => void;
  readonly onReconnected: () => void;
}

const everyId = "";

/** Sequences have ended, or jobs have been lost: calls every listener of these ids, here and in other processes. */
const openIdChannel = (
  name: NotifyChannel,
  options: SharedOptions,
): Channel<readonly string[], IdListener> => {
  const { call } = options;
  const listeners = createListenersByKey<IdListener>();
  const callListeners = (id: string): void => {
    for (const { onId } of [...listeners.of(everyId), ...listeners.of(id)]) call(() => onId(id));
  };
  const channel = openNotifyChannel({
    ...options,
    channel: name,
    topic: () => options.topicOf(name),
    onMessage: ({ entries }) => {
      for (const [id] of entries) callListeners(id);
    },
    onReconnected: () => {
      const distinct = new Set(listeners.pairs().map(([listener]) => listener));
      for (const { onReconnected } of distinct) call(onReconnected);
      options.onReconnected();
    },
  });
  return {
    ...channel,
    notify: async (ids) => {
      const distinct = new Set(ids);
      for (const id of distinct) callListeners(id);
      if (distinct.size > 0) await channel.publish([...distinct].map((id) => [id, 1] as const));
    },
    listen: (given) => {
      // An object of its own: the same listener may be given twice.
      const listener = { ...given };
      const keys = listener.ids ?? [everyId];
      return channel.hold(
        () => listeners.add(keys, listener),
        () => listeners.remove(keys, listener),
      );
    },
    close: () => {
      listeners.clear();
      return channel.close();
    },
  };
};
