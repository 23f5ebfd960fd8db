import type { NotifyAdapter } from "queuert";
import type { Random } from "../random.ts";

const lateMsMax = 500;

/** Notifications are lost, doubled, late. Listeners are left alone: it is the same to them. */
export const createLossyNotify = (
  notify: NotifyAdapter,
  random: Random,
): { readonly notify: NotifyAdapter; readonly setRate: (rate: number) => void } => {
  let rate = 0;
  const deliver = async (send: () => Promise<void>): Promise<void> => {
    if (random.chance(rate)) return;
    if (random.chance(rate)) await send();
    if (!random.chance(rate)) return send();
    // No caller waits for it any more, and it may come to nothing.
    setTimeout(() => void send().catch(() => undefined), random.below(lateMsMax));
  };
  return {
    notify: {
      ...notify,
      notifyJobScheduled: (hints) => deliver(() => notify.notifyJobScheduled(hints)),
      notifyJobSequenceCompleted: (ids) => deliver(() => notify.notifyJobSequenceCompleted(ids)),
      notifyJobOwnershipLost: (ids) => deliver(() => notify.notifyJobOwnershipLost(ids)),
    },
    setRate: (to) => (rate = to),
  };
};
