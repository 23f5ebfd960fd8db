// A process that can be killed or frozen: its view of the clock, of the store and of notifications.
// Statements take time, fail before they run, or lose their result afterwards. A dead process
// neither receives nor sends. Its open transaction is rolled back, as a server does for a lost
// connection.
import type { AnyStateAdapter, NotifyAdapter } from "queuert";
import type { Clock } from "queuert/internal";
import type { Random } from "../random.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface SimulatedProcess {
  readonly name: string;
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
}

export interface ProcessOptions {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly state: AnyStateAdapter;
  readonly notify: NotifyAdapter;
  readonly latencyMs: number;
  readonly failureShare: number;
  readonly lostNotificationShare: number;
}

export class SimulatedFault extends Error {
  readonly code = "ECONNRESET" as const;
}

const never = new Promise<never>(() => undefined);

/** The faults of a process, and whether it is alive. */
interface Fate {
  isDead: boolean;
  isHealed: boolean;
  frozenUntil: number;
  onKilled: (() => void)[];
  readonly timers: Set<unknown>;
}

export const createSimulatedProcess = (options: ProcessOptions): SimulatedProcess => {
  const { name, time } = options;
  const fate: Fate = {
    isDead: false,
    isHealed: false,
    frozenUntil: 0,
    onKilled: [],
    timers: new Set(),
  };
  return {
    name,
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
  };
};

/** Timers of a dead process never fire; those of a frozen one fire when it moves again. */
const createOwnClock = (time: VirtualTime, fate: Fate): Clock => {
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

const unchanged: ReadonlySet<string> = new Set([
  "capabilities",
  "provideContext",
  "isInTransaction",
]);

/** The store, over a wire that takes time and breaks. */
const createWiredState = (options: ProcessOptions, fate: Fate): AnyStateAdapter => {
  const { time, random, latencyMs, failureShare } = options;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => time.setTimeout(resolve, ms));
  const pass = async (): Promise<void> => {
    const ms = random.below(latencyMs + 1);
    if (ms > 0) await wait(ms);
    while (!fate.isDead && time.now() < fate.frozenUntil) await wait(fate.frozenUntil - time.now());
    if (fate.isDead) await never;
  };
  const wire: Wire = {
    pass,
    mayFail: () => {
      if (!fate.isHealed && random.chance(failureShare)) throw new SimulatedFault("cut");
    },
  };
  const entries = Object.entries(options.state).map(([key, value]) => {
    if (unchanged.has(key) || typeof value !== "function") return [key, value] as const;
    if (key === "runInTransaction") {
      return [key, wiredTransaction(options.state, fate, wire)] as const;
    }
    return [key, wiredStatement(value as never, wire)] as const;
  });
  const state = Object.fromEntries(entries) as unknown as AnyStateAdapter;
  const isTransientError = (error: unknown): boolean => error instanceof SimulatedFault;
  return { ...state, capabilities: { ...options.state.capabilities, isTransientError } };
};

interface Wire {
  readonly pass: () => Promise<void>;
  readonly mayFail: () => void;
}

/**
 * Fails before it has run, or after. After it, it has taken effect and its caller does not know.
 */
const wiredStatement =
  (call: (...args: unknown[]) => Promise<unknown>, { pass, mayFail }: Wire) =>
  async (...args: unknown[]): Promise<unknown> => {
    await pass();
    mayFail();
    const result = await call(...args);
    await pass();
    mayFail();
    return result;
  };

const wiredTransaction =
  (state: AnyStateAdapter, fate: Fate, { pass, mayFail }: Wire) =>
  async <T>(callback: (context: object) => Promise<T>): Promise<T> => {
    await pass();
    mayFail();
    const result = await state.runInTransaction(async (context) => {
      // Killed while it waited for the writer.
      if (fate.isDead) throw new SimulatedFault("killed");
      const killed = new Promise<never>((_resolve, reject) => {
        fate.onKilled.push(() => reject(new SimulatedFault("killed")));
      });
      const answer = await Promise.race([callback(context), killed]);
      await Promise.race([pass(), killed]);
      mayFail();
      return answer;
    });
    await pass();
    mayFail(); // Committed, and the answer is lost.
    return result;
  };

/** Notifications arrive late, twice, or not at all. */
const createLossyNotify = (
  { notify, random, time, lostNotificationShare }: ProcessOptions,
  isDead: () => boolean,
): NotifyAdapter => {
  const deliver = (send: () => Promise<void>): Promise<void> => {
    const copies = random.chance(lostNotificationShare) ? 0 : 1 + Number(random.chance(0.1));
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
