import { setTimeout as sleep } from "node:timers/promises";
import type { AnyStateAdapter } from "queuert";
import type { Random } from "../random.ts";

/** As of a connection that was cut. */
export class InjectedFault extends Error {
  readonly code = "ECONNRESET" as const;
}

// These run no statement of their own.
const withoutFaults: ReadonlySet<string> = new Set([
  "capabilities",
  "provideContext",
  "isInTransaction",
]);

export interface FlakyState {
  readonly state: AnyStateAdapter;
  /** Of so many statements one fails. */
  readonly setRate: (rate: number) => void;
  /** The answer of every commit comes so much later. */
  readonly setLate: (ms: number) => void;
}

/** Within a transaction of the caller's, which commits by itself. */
const isWithin = ([first]: readonly unknown[]): boolean =>
  typeof first === "object" && first !== null && "context" in first && first.context !== undefined;

/**
 * Fails before a statement, or after it. After it, the statement has taken effect and its caller
 * does not know. The same holds for commits.
 */
export const createFlakyState = (state: AnyStateAdapter, random: Random): FlakyState => {
  let rate = 0;
  let lateMs = 0;
  const mayFail = (): void => {
    if (random.chance(rate / 2)) throw new InjectedFault("Fault on purpose");
  };
  /** The same object with methods that may fail. */
  const withFaults = (methods: object): Record<string, unknown> => {
    const wrapped: Record<string, unknown> = { ...methods };
    for (const [name, method] of Object.entries(methods) as [string, unknown][]) {
      if (typeof method !== "function" || withoutFaults.has(name)) continue;
      wrapped[name] = async (...args: unknown[]): Promise<unknown> => {
        mayFail();
        const result: unknown = await method.apply(methods, args);
        if (lateMs > 0 && !isWithin(args)) await sleep(lateMs);
        mayFail();
        return result;
      };
    }
    return wrapped;
  };
  const wrapped = withFaults(state);
  for (const part of ["limitKeys", "operator"] as const) {
    const methods = state[part];
    if (methods !== undefined) wrapped[part] = withFaults(methods);
  }
  const { isTransientError } = state.capabilities;
  if (isTransientError !== undefined) {
    wrapped["capabilities"] = {
      ...state.capabilities,
      isTransientError: (error: unknown) =>
        error instanceof InjectedFault || isTransientError(error),
    };
  }
  return {
    // The same keys with the same signatures.
    state: wrapped as unknown as AnyStateAdapter,
    setRate: (to) => (rate = to),
    setLate: (ms) => (lateMs = ms),
  };
};
