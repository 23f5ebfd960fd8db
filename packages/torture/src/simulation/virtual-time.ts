// A clock that stands still until everything that can happen has happened, and then jumps to the
// next timer. Hours outside take milliseconds here, and are the same every time.
import type { Clock } from "queuert/internal";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export interface VirtualTime extends Clock {
  /** Lets time pass until the condition holds or so many milliseconds have gone by. Answers whether it holds. */
  run(isDone: () => boolean, limitMs: number): Promise<boolean>;
  readonly pendingCount: number;
}

/** Everything that promises alone can do is done when this resolves. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createVirtualTime = (startsAt = 1_700_000_000_000): VirtualTime => {
  let now = startsAt;
  let order = 0;
  const timers = new Set<Timer>();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      const isEarlier =
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order);
      if (isEarlier) first = timer;
    }
    return first;
  };

  const time: VirtualTime = {
    now: () => now,
    setTimeout: (callback, ms) => {
      const timer = { at: now + Math.max(0, ms), order: order++, callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (handle) => {
      timers.delete(handle as Timer);
    },
    yield: () => new Promise((resolve) => time.setTimeout(resolve, 0)),
    run: async (isDone, limitMs) => {
      const limit = now + limitMs;
      for (;;) {
        await settle();
        if (isDone()) return true;
        const timer = next();
        if (timer === undefined || timer.at > limit) return false;
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
      }
    },
    get pendingCount() {
      return timers.size;
    },
  };
  return time;
};
