// The store as a simulated process reaches it: over a wire that takes time and breaks.
import type { AnyStateAdapter } from "queuert";
import type { Coverage, Phase } from "./coverage.ts";
import type { ProcessOptions } from "./simulated-process.ts";

export interface Flight {
  readonly method: string;
  phase: Phase;
}

/** Hears of each statement at each of its points, and may keep it there. */
export type OnPoint = (flight: Flight) => Promise<void> | undefined;

class SimulatedFault extends Error {
  readonly code = "ECONNRESET" as const;
}

/** A promise for each that waits: one for all would keep them all in memory. */
const never = (): Promise<never> => new Promise(() => undefined);

/** The faults of a process, and whether it is alive. */
export interface Fate {
  isDead: boolean;
  isHealed: boolean;
  frozenUntil: number;
  onKilled: (() => void)[];
  readonly timers: Set<unknown>;
  readonly flights: Set<Flight>;
}

const unchanged: ReadonlySet<string> = new Set([
  "capabilities",
  "provideContext",
  "isInTransaction",
]);

/** Parts of the store with methods of their own. */
const parts: ReadonlySet<string> = new Set(["limitKeys", "operator"]);

/** The store, over a wire that takes time and breaks. */
export const createWiredState = (options: ProcessOptions, fate: Fate): AnyStateAdapter => {
  const { time, random, latencyMs, failureShare, coverage, onPoint } = options;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => time.setTimeout(resolve, ms));
  const letsCallbacksEnd = options.letsCallbacksEnd === true;
  const pass = async (flight: Flight, isWithin = false): Promise<void> => {
    const held = onPoint(flight);
    if (held !== undefined) await held;
    const ms = random.below(latencyMs + 1);
    if (ms > 0) await wait(ms);
    while (!fate.isDead && time.now() < fate.frozenUntil) await wait(fate.frozenUntil - time.now());
    if (!fate.isDead) return;
    if (isWithin && letsCallbacksEnd) throw new SimulatedFault("killed");
    await never();
  };
  const wire: Wire = {
    letsCallbacksEnd,
    pass,
    mayFail: ({ method, phase }) => {
      if (fate.isHealed || !random.chance(failureShare)) return;
      coverage.reach(`cut: ${method} ${phase}`);
      options.onFault?.("statement");
      throw new SimulatedFault("cut");
    },
    begin: (method) => {
      const flight: Flight = { method, phase: "sent" };
      fate.flights.add(flight);
      return flight;
    },
    end: (flight) => void fate.flights.delete(flight),
    coverage,
  };
  const entries = Object.entries(options.state).map(([key, value]) => {
    if (unchanged.has(key)) return [key, value] as const;
    if (parts.has(key) && typeof value === "object" && value !== null) {
      const methods = Object.entries(value).map(([name, method]) =>
        typeof method === "function"
          ? ([name, wiredStatement(`${key}.${name}`, method as never, wire)] as const)
          : ([name, method] as const),
      );
      return [key, Object.fromEntries(methods)] as const;
    }
    if (typeof value !== "function") return [key, value] as const;
    if (key === "runInTransaction") {
      return [key, wiredTransaction(options.state, fate, wire)] as const;
    }
    return [key, wiredStatement(key, value as never, wire)] as const;
  });
  const state = Object.fromEntries(entries) as unknown as AnyStateAdapter;
  const isTransientError = (error: unknown): boolean => error instanceof SimulatedFault;
  return { ...state, capabilities: { ...options.state.capabilities, isTransientError } };
};

interface Wire {
  readonly letsCallbacksEnd: boolean;
  readonly pass: (flight: Flight, isWithin?: boolean) => Promise<void>;
  readonly mayFail: (flight: Flight) => void;
  readonly begin: (method: string) => Flight;
  readonly end: (flight: Flight) => void;
  readonly coverage: Coverage;
}

/** Within a transaction of the caller's. */
const isWithin = ([first]: readonly unknown[]): boolean =>
  typeof first === "object" && first !== null && "context" in first && first.context !== undefined;

/**
 * Fails before it has run, or after. After it, it has taken effect and its caller does not know.
 */
const wiredStatement =
  (method: string, call: (...args: unknown[]) => Promise<unknown>, wire: Wire) =>
  async (...args: unknown[]): Promise<unknown> => {
    const flight = wire.begin(method);
    try {
      await wire.pass(flight, isWithin(args));
      wire.mayFail(flight);
      const result = await call(...args);
      flight.phase = "answered";
      wire.coverage.result(method, result);
      await wire.pass(flight, isWithin(args));
      wire.mayFail(flight);
      return result;
    } finally {
      wire.end(flight);
    }
  };

const wiredTransaction =
  (state: AnyStateAdapter, fate: Fate, wire: Wire) =>
  async <T>(callback: (context: object) => Promise<T>): Promise<T> => {
    const { pass, mayFail, letsCallbacksEnd } = wire;
    const flight = wire.begin("commit");
    try {
      await pass(flight);
      mayFail(flight);
      const result = await state.runInTransaction(async (context) => {
        // Killed while it waited for the writer.
        if (fate.isDead) throw new SimulatedFault("killed");
        const killed = new Promise<never>((_resolve, reject) => {
          fate.onKilled.push(() => reject(new SimulatedFault("killed")));
        });
        if (letsCallbacksEnd) killed.catch(() => undefined);
        const ending = callback(context);
        const answer = await (letsCallbacksEnd ? ending : Promise.race([ending, killed]));
        await Promise.race([pass(flight, true), killed]);
        mayFail(flight);
        return answer;
      });
      flight.phase = "answered";
      await pass(flight);
      mayFail(flight); // Committed, and the answer is lost.
      return result;
    } finally {
      wire.end(flight);
    }
  };
