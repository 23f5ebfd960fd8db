import type { BaseStateAdapterContext, StateAdapter } from "../adapters/state-adapter.ts";
import { type RetryOptions, withRetry } from "../async/retry.ts";

/** Handing out contexts and transactions runs the caller's code, which may not be run twice. */
const infrastructure = new Set<string>([
  "capabilities",
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

/**
 * Repeats statements that failed for a passing reason. Only those that run by themselves: within a transaction of the
 * caller's the statement is lost with its transaction, so the error goes to whoever owns it.
 *
 * A repeated write may find its first try stored. That is safe for every method of the contract: fenced writes answer
 * `storedByThisLease`, acquired jobs whose answer was lost come back when their lease expires, and creating without a
 * context is for adapters to make repeatable.
 */
export const wrapStateAdapterWithRetry = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
  TJobId extends string,
  TAdapter extends StateAdapter<TTxContext, TContext, TJobId>,
>(
  adapter: TAdapter & StateAdapter<TTxContext, TContext, TJobId>,
  options: RetryOptions,
): TAdapter => {
  const wrapped = { ...adapter } as unknown as Record<string, unknown>;
  for (const [name, method] of Object.entries(adapter)) {
    if (typeof method !== "function" || infrastructure.has(name)) continue;
    wrapped[name] = (params: { readonly context?: unknown }, ...rest: unknown[]) =>
      params?.context === undefined
        ? withRetry(() => method.call(adapter, params, ...rest), options)
        : method.call(adapter, params, ...rest);
  }
  // Same keys, same signatures: only what happens on a passing error differs.
  return wrapped as unknown as TAdapter;
};
