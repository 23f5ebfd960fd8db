// Jobs have become due: wakes listeners for about as many jobs as there are.
// Within the process, listeners are woken by the room they have. Between processes it is the same if the transport keeps
// hint counts; if it does not, each process wakes as many as it could need.
import type { JobScheduledHint, JobScheduledListener } from "../adapters/notify-adapter.ts";
import { createHintDemand } from "./hint-demand.ts";
import { createHintTaker } from "./hint-taker.ts";
import { createListenersByKey } from "./listeners-by-key.ts";
import { notifyLimits, openNotifyChannel, type NotifyChannelOptions } from "./notify-channel.ts";
import { toEntries, toHints, type NotifyMessage } from "./notify-message.ts";

export interface JobScheduledChannel {
  notify(hints: readonly JobScheduledHint[]): Promise<void>;
  listen(listener: JobScheduledListener): Promise<() => Promise<void>>;
  retryNow(): void;
  close(): Promise<void>;
}

export interface JobScheduledChannelOptions extends Omit<
  NotifyChannelOptions,
  "channel" | "onMessage" | "onOffer"
> {
  /** Calls a listener; never throws. */
  readonly call: (callback: () => void) => void;
}

export const openJobScheduledChannel = (
  options: JobScheduledChannelOptions,
): JobScheduledChannel => {
  const { transport, report, call } = options;
  const listeners = createListenersByKey<JobScheduledListener>();
  const wake = (listener: JobScheduledListener, typeName: string, count?: number): void => {
    call(() => {
      listener.onJobScheduled(typeName, count);
    });
  };
  const demand = createHintDemand(listeners, wake);
  const take =
    transport.takeHints &&
    createHintTaker({
      ...options,
      demand,
      takeHints: transport.takeHints.bind(transport),
      timeoutMs: notifyLimits.takeTimeoutMs,
    });

  const receive = async ({ hintId, entries }: NotifyMessage): Promise<void> => {
    const counts = toHints(entries);
    if (hintId === undefined || take === undefined) {
      demand.grant(counts);
      return;
    }
    // Whoever had room may have become busy meanwhile: others may still have some.
    const left = demand.grant(await take({ id: hintId, counts }));
    if (left.length > 0) await channel.publish(toEntries(left));
  };

  const channel = openNotifyChannel({
    ...options,
    channel: "jobScheduled",
    onMessage: (message) => {
      receive(message).catch(report);
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
      // Without counts nobody knows who else is idle, and a repeated look is cheaper than a missed one.
      const untold = take === undefined ? due : toEntries(left);
      if (untold.length > 0) await channel.publish(untold);
    },
    listen: ({ typeNames, onJobScheduled, demand: room }) => {
      // An object of its own: the same listener may be given twice.
      const listener: JobScheduledListener = { typeNames, onJobScheduled, demand: room };
      return channel.hold({
        add: () => {
          listeners.add(typeNames, listener);
        },
        remove: () => {
          listeners.remove(typeNames, listener);
        },
      });
    },
    close: () => {
      listeners.clear();
      return channel.close();
    },
  };
};
