// Changed schedules, as workers are notified of them. Other processes are notified through the topic of lost leases, under a name
// that is the id of no job. Every notify adapter carries it. A process of an older version drops it.
import type { Clock, TimerHandle } from "../async/clock.ts";

/** In place of a job's id. */
export const schedulesChangedName = "queuert:schedules-changed";

/** A flood of forged messages costs one look for each of these times. */
const pauseMs = 100;

export interface ScheduleChanges {
  /** In this process. */
  notify(): void;
  /** A message of another process. It may be forged: many of them at once are one. */
  received(): void;
  /** Returns how to stop listening. */
  listen(onChanged: () => void): () => void;
}

export const createScheduleChanges = (
  clock: Pick<Clock, "now" | "setTimeout" | "clearTimeout">,
): ScheduleChanges => {
  const listeners = new Set<() => void>();
  let timer: TimerHandle | null = null;
  let quietUntil = 0;
  const notify = (): void => {
    for (const onChanged of listeners) onChanged();
  };
  const notifyLater = (): void => {
    timer = null;
    quietUntil = clock.now() + pauseMs;
    notify();
  };
  return {
    notify,
    received: () => {
      if (timer !== null || listeners.size === 0) return;
      const waitMs = quietUntil - clock.now();
      if (waitMs <= 0 || waitMs > pauseMs) notifyLater();
      else timer = clock.setTimeout(notifyLater, waitMs);
    },
    listen: (onChanged) => {
      listeners.add(onChanged);
      return () => {
        listeners.delete(onChanged);
        if (listeners.size > 0 || timer === null) return;
        clock.clearTimeout(timer);
        timer = null;
      };
    },
  };
};
