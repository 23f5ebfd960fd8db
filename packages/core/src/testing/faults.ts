// Stores that fail now and then, for suites that show that nothing is lost by it. Every choice comes from a seed.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { Random } from "./random.ts";

/** The error of a fault: a transient one, as of a lost connection. */
export class TransientFaultError extends Error {
  /** As drivers name it, so that every adapter's own test for passing errors knows it. */
  readonly code = "ECONNRESET" as const;
  /** Whether the statement had been run when its answer was lost. */
  readonly afterStatement: boolean;

  constructor(operation: string, afterStatement: boolean) {
    super(`Fault on purpose ${afterStatement ? "after" : "before"} ${operation}`);
    this.afterStatement = afterStatement;
  }
}

export interface Faults {
  /** How many there have been. */
  readonly count: () => number;
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface FlakyOptions {
  readonly random: Random;
  /** Of so many calls one fails: 0.1 is one in ten. */
  readonly rate: number;
  /** Which methods; left out: all that run statements. */
  readonly methods?: readonly (keyof AnyStateAdapter)[] | undefined;
  /** Before the statement, after it (its answer is lost), or either; left out: either. */
  readonly when?: "before" | "after" | "either" | undefined;
}

// These run no statement of their own.
const neverFlaky = new Set<string>(["capabilities", "isInTransaction"]);

/**
 * Fails at random, before a statement or after it. After it, the statement has taken effect and the
 * caller does not know. A transaction fails before it begins or after it has committed. A statement
 * that fails inside one ends the transaction.
 */
export const createFlakyStateAdapter = (
  adapter: AnyStateAdapter,
  { random, rate, methods, when = "either" }: FlakyOptions,
): { readonly stateAdapter: AnyStateAdapter; readonly faults: Faults } => {
  let faultCount = 0;
  let isPaused = false;
  const strikes = (moment: "before" | "after"): boolean => {
    if (isPaused || (when !== "either" && when !== moment)) return false;
    // Two moments at which to fail: half the chance at each.
    return random() < (when === "either" ? rate / 2 : rate);
  };
  const fault = (name: string, afterStatement: boolean): TransientFaultError => {
    faultCount += 1;
    return new TransientFaultError(name, afterStatement);
  };

  const wrapped: Record<string, unknown> = { ...adapter };
  for (const [name, method] of Object.entries(adapter)) {
    if (typeof method !== "function" || neverFlaky.has(name)) continue;
    if (methods !== undefined && !methods.some((each) => each === name)) continue;
    wrapped[name] = async (...args: unknown[]): Promise<unknown> => {
      if (strikes("before")) throw fault(name, false);
      const result: unknown = await method.apply(adapter, args);
      if (strikes("after")) throw fault(name, true);
      return result;
    };
  }
  const faults = {
    count: () => faultCount,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
  };
  // Same keys, same signatures: each method only fails more often.
  return { stateAdapter: wrapped as unknown as AnyStateAdapter, faults };
};

// A symbol survives the spreading of a context into the user's own object.
const poison = Symbol("poison");

interface Poisonable {
  readonly [poison]?: { isPoisoned: boolean };
}

/**
 * Lets any transaction be broken as by a statement that failed in it: everything in it fails from then on, and a commit
 * is refused.
 */
export const createPoisonableStateAdapter = (
  adapter: AnyStateAdapter,
): {
  readonly stateAdapter: AnyStateAdapter;
  readonly poisonTransaction: (context: object) => void;
} => {
  const refuse = (name: string): never => {
    throw new Error(`${name}: the transaction is aborted, commands are ignored until its end`);
  };
  const wrapped: Record<string, unknown> = { ...adapter };
  for (const [name, method] of Object.entries(adapter)) {
    if (typeof method !== "function") continue;
    wrapped[name] = async (params: { readonly context?: Poisonable }, ...rest: unknown[]) => {
      if (params?.context?.[poison]?.isPoisoned === true) refuse(name);
      const result: unknown = await method.call(adapter, params, ...rest);
      return result;
    };
  }
  const runInTransaction: AnyStateAdapter["runInTransaction"] = (callback) =>
    adapter.runInTransaction(async (context) => {
      const state = { isPoisoned: false };
      const result = await callback({ ...context, [poison]: state });
      if (state.isPoisoned) refuse("commit");
      return result;
    });
  // Same keys, same signatures: each method only refuses calls that come after the poison.
  const stateAdapter = { ...wrapped, runInTransaction } as unknown as AnyStateAdapter;
  return {
    stateAdapter,
    poisonTransaction: (context: Poisonable) => {
      const state = context[poison];
      if (state === undefined)
        throw new Error("Not the context of one of this adapter's transactions");
      state.isPoisoned = true;
    },
  };
};
