// Notifications as the contract allows them at their worst: lost, late, repeated, refused.
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import { TransientFaultError } from "./faults.ts";
import type { Random } from "./random.ts";

export interface LossyNotifyOptions {
  readonly random: Random;
  /** Chances from 0 to 1; left out: never. */
  readonly loses?: number | undefined;
  readonly repeats?: number | undefined;
  readonly delays?: number | undefined;
  readonly rejects?: number | undefined;
  /** How late a late one is, at most; left out: 50 ms. */
  readonly delayMsMax?: number | undefined;
}

const defaultDelayMsMax = 50;

/** Passes listeners on as they are, and notifications as fate will have it. */
export const createLossyNotifyAdapter = (
  adapter: NotifyAdapter,
  options: LossyNotifyOptions,
): NotifyAdapter => {
  const { random, delayMsMax = defaultDelayMsMax } = options;
  const timers = new Set<NodeJS.Timeout>();
  const happens = (chance = 0): boolean => random() < chance;

  const later = (tell: () => Promise<void>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      // It has no waiter any more: it is lost instead.
      tell().catch(() => undefined);
    }, random() * delayMsMax);
    timers.add(timer);
  };
  const notify = async (name: string, tell: () => Promise<void>): Promise<void> => {
    if (happens(options.rejects)) throw new TransientFaultError(name, false);
    if (happens(options.loses)) return;
    if (happens(options.repeats)) later(tell);
    if (happens(options.delays)) later(tell);
    else await tell();
  };

  return {
    notifyJobScheduled: (hints) =>
      notify("notifyJobScheduled", () => adapter.notifyJobScheduled(hints)),
    listenJobScheduled: (listener) => adapter.listenJobScheduled(listener),
    notifyJobSequenceCompleted: (ids) =>
      notify("notifyJobSequenceCompleted", () => adapter.notifyJobSequenceCompleted(ids)),
    listenJobSequenceCompleted: (listener) => adapter.listenJobSequenceCompleted(listener),
    notifyJobOwnershipLost: (ids) =>
      notify("notifyJobOwnershipLost", () => adapter.notifyJobOwnershipLost(ids)),
    listenJobOwnershipLost: (listener) => adapter.listenJobOwnershipLost(listener),
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      return adapter.close();
    },
  };
};
