import { type AdapterMethod, infrastructureMethods, mapMethods } from "../adapters/map-methods.ts";
import type { BaseStateAdapterContext, StateAdapter } from "../adapters/state-adapter.ts";
import { type RetryOptions, withRetry } from "../async/retry.ts";

export interface StateAdapterRetryOptions extends RetryOptions {
  /** Names the error that a method finally rejects with. Default: the error stays as it is. */
  readonly toNamedError?: ((error: unknown) => unknown) | undefined;
}

/**
 * Repeats statements that failed for a transient reason, and names the error of the last try. Only statements without a
 * context are repeated: inside a transaction of the caller's the statement is lost with its transaction.
 *
 * A repeated write may find its first try stored. That is safe for every method of the contract. Fenced writes report
 * `storedByThisLease`. Acquired jobs whose result was lost come back when their lease expires. `createJobs` without a
 * context is repeatable in each adapter.
 */
export const wrapStateAdapterWithRetry = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
  TJobId extends string,
  TAdapter extends StateAdapter<TTxContext, TContext, TJobId>,
>(
  adapter: TAdapter & StateAdapter<TTxContext, TContext, TJobId>,
  options: StateAdapterRetryOptions,
): TAdapter =>
  mapMethods<TAdapter>(adapter, (method, name) =>
    // They run the caller's code, which must run once.
    infrastructureMethods.has(name) ? method : retrying(method, options),
  );

const retrying =
  (method: AdapterMethod, options: StateAdapterRetryOptions): AdapterMethod =>
  async (params, ...rest) => {
    const { toNamedError } = options;
    const { context } = (params ?? {}) as { readonly context?: unknown };
    try {
      return await (context === undefined
        ? withRetry(() => method(params, ...rest), options)
        : method(params, ...rest));
    } catch (error) {
      throw toNamedError === undefined ? error : toNamedError(error);
    }
  };
