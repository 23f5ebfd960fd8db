// A process that can be killed or frozen: its view of the clock, of the store and of notifications.
// Statements take time, fail before they run, or lose their result afterwards. A dead process
// neither receives nor sends. Its open transaction is rolled back, as a server does for a lost
// connection.
import type { AnyStateAdapter, NotifyAdapter } from "queuert";
import type { Clock } from "queuert/internal";
import type { Random } from "../random.ts";
import type { Coverage } from "./coverage.ts";

import { createWiredState, type Fate, type Flight, type OnPoint } from "./wired-state.ts";

export interface SimulatedProcess {
  readonly name: string;
  /** The statements that are on their way, and their answers. */
  readonly flights: ReadonlySet<Flight>;
  readonly clock: Clock;
  readonly state: AnyStateAdapter;
  readonly notify: NotifyAdapter;
  readonly isDead: () => boolean;
  /** Timers that are set and neither fired nor cleared. */
  readonly timerCount: () => number;
  kill(): void;
  /** Nothing of it moves for so long, like a stopped process or a blocked event loop. */
  freeze(ms: number): void;
  /** No more failures from now on. */
  heal(): void;
  /** Failures again. */
  hurt(): void;
}

export interface ProcessOptions {
  readonly coverage: Coverage;
  readonly onPoint: OnPoint;
  /** Hears of each failed statement and each notification that is lost or doubled. */
  readonly onFault?: (kind: "statement" | "notification") => void;
  readonly name: string;
  readonly time: Clock;
  readonly random: Random;
  readonly state: AnyStateAdapter;
  readonly notify: NotifyAdapter;
  readonly latencyMs: number;
  /** The code of a killed process runs to its end in its transactions, and only then they are rolled back. Left out: at once. */
  readonly letsCallbacksEnd?: boolean;
  readonly failureShare: number;
  readonly lostNotificationShare: number;
}

export const createSimulatedProcess = (options: ProcessOptions): SimulatedProcess => {
  const { name, time } = options;
  const fate: Fate = {
    isDead: false,
    isHealed: false,
    frozenUntil: 0,
    onKilled: [],
    timers: new Set(),
    flights: new Set(),
  };
  return {
    name,
    flights: fate.flights,
    clock: createOwnClock(time, fate),
    state: createWiredState(options, fate),
    notify: createLossyNotify(options, () => fate.isDead),
    isDead: () => fate.isDead,
    timerCount: () => fate.timers.size,
    kill: () => {
      fate.isDead = true;
      for (const kill of fate.onKilled) kill();
      fate.onKilled = [];
    },
    freeze: (ms) => {
      fate.frozenUntil = time.now() + ms;
    },
    heal: () => {
      fate.isHealed = true;
    },
    hurt: () => {
      fate.isHealed = false;
    },
  };
};

/** Timers of a dead process never fire; those of a frozen one fire when it moves again. */
const createOwnClock = (time: Clock, fate: Fate): Clock => {
  const clock: Clock = {
    now: () => time.now(),
    setTimeout: (callback, ms) => {
      const handle: { timer: unknown } = { timer: null };
      const fire = (): void => {
        if (fate.isDead) return;
        const frozenMs = fate.frozenUntil - time.now();
        if (frozenMs > 0) handle.timer = time.setTimeout(fire, frozenMs);
        else {
          fate.timers.delete(handle);
          callback();
        }
      };
      fate.timers.add(handle);
      handle.timer = time.setTimeout(fire, ms);
      return handle;
    },
    clearTimeout: (handle) => {
      fate.timers.delete(handle);
      // The timer that this clock's own setTimeout returned.
      time.clearTimeout((handle as { timer: unknown } | undefined)?.timer);
    },
    yield: () => new Promise((resolve) => clock.setTimeout(resolve, 0)),
  };
  return clock;
};

/** Notifications arrive late, twice, or not at all. */
const createLossyNotify = (
  { notify, random, time, lostNotificationShare, onFault }: ProcessOptions,
  isDead: () => boolean,
): NotifyAdapter => {
  const deliver = (send: () => Promise<void>): Promise<void> => {
    const copies = random.chance(lostNotificationShare) ? 0 : 1 + Number(random.chance(0.1));
    if (copies !== 1) onFault?.("notification");
    for (let copy = 0; copy < copies; copy++) {
      time.setTimeout(() => void send(), random.below(200));
    }
    return Promise.resolve();
  };
  const whileAlive =
    (callback: (value: string) => void) =>
    (value: string): void => {
      if (!isDead()) callback(value);
    };
  return {
    ...notify,
    notifyJobScheduled: (hints) => deliver(() => notify.notifyJobScheduled(hints)),
    notifyJobSequenceCompleted: (ids) => deliver(() => notify.notifyJobSequenceCompleted(ids)),
    notifyJobOwnershipLost: (ids) => deliver(() => notify.notifyJobOwnershipLost(ids)),
    listenJobScheduled: (listener) =>
      notify.listenJobScheduled({
        ...listener,
        onJobScheduled: whileAlive(listener.onJobScheduled),
      }),
    listenJobOwnershipLost: (listener) =>
      notify.listenJobOwnershipLost({
        ...listener,
        onOwnershipLost: whileAlive(listener.onOwnershipLost),
      }),
  };
};
