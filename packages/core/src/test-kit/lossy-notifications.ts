import type { Notifier } from "../after-commit/open-transactions.ts";

/** Notifications that are dropped while a test asks for it, in this process as well. */
export interface LossyNotifications {
  readonly wrap: (inner: Notifier) => Notifier;
  /** Call the result to end the loss. */
  readonly lose: () => () => void;
}

export const createLossyNotifications = (): LossyNotifications => {
  let losses = 0;
  return {
    wrap: (inner) => ({
      jobScheduled: (hints) => {
        if (losses === 0) inner.jobScheduled(hints);
      },
      sequencesEnded: (sequenceIds) => {
        if (losses === 0) inner.sequencesEnded(sequenceIds);
      },
      ownershipLost: (jobIds) => {
        if (losses === 0) inner.ownershipLost(jobIds);
      },
      settled: () => inner.settled(),
    }),
    lose: () => {
      losses += 1;
      let isOver = false;
      return () => {
        if (!isOver) losses -= 1;
        isOver = true;
      };
    },
  };
};
