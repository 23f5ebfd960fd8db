import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";

/** The adapter, with some of its methods replaced. */
export const overrideNotify = (
  adapter: NotifyAdapter,
  overrides: Partial<NotifyAdapter>,
): NotifyAdapter => ({
  notifyJobScheduled: (hints) => adapter.notifyJobScheduled(hints),
  listenJobScheduled: (listener) => adapter.listenJobScheduled(listener),
  notifyJobSequenceCompleted: (ids) => adapter.notifyJobSequenceCompleted(ids),
  listenJobSequenceCompleted: (listener) => adapter.listenJobSequenceCompleted(listener),
  notifyJobOwnershipLost: (ids) => adapter.notifyJobOwnershipLost(ids),
  listenJobOwnershipLost: (listener) => adapter.listenJobOwnershipLost(listener),
  close: () => adapter.close(),
  ...overrides,
});

/** The notifications, message by message. */
export interface ToldNotifications {
  readonly scheduled: Readonly<Record<string, number>>[];
  readonly ended: (readonly string[])[];
  readonly lost: (readonly string[])[];
}

/** Passes everything on, and records the notifications. */
export const recordNotify = (
  adapter: NotifyAdapter,
): { readonly notifyAdapter: NotifyAdapter; readonly told: ToldNotifications } => {
  const told: ToldNotifications = { scheduled: [], ended: [], lost: [] };
  const notifyAdapter = overrideNotify(adapter, {
    notifyJobScheduled: (hints) => {
      told.scheduled.push(
        Object.fromEntries(hints.map(({ typeName, count }) => [typeName, count])),
      );
      return adapter.notifyJobScheduled(hints);
    },
    notifyJobSequenceCompleted: (ids) => {
      told.ended.push(ids);
      return adapter.notifyJobSequenceCompleted(ids);
    },
    notifyJobOwnershipLost: (ids) => {
      told.lost.push(ids);
      return adapter.notifyJobOwnershipLost(ids);
    },
  });
  return { notifyAdapter, told };
};
