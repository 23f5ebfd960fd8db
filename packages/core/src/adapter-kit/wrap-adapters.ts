// The wrappers between a caller and a method of an adapter. All report errors. A notify adapter is bound to its store, and
// calls of a store are retried and their errors named.
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import type {
  AnyStateAdapter,
  BaseStateAdapterContext,
  StateAdapter,
} from "../adapters/state-adapter.ts";
import { type RetryOptions, waitBeforeRetry } from "../async/retry.ts";

/** A method of an adapter, as its wrappers call it. */
export type AdapterMethod = (...args: unknown[]) => Promise<unknown>;

/** A copy of an object with each method replaced by `wrap`. The object may be an instance of a class. */
export const mapMethods = <TObject extends object>(
  object: TObject,
  wrap: (method: AdapterMethod, name: string) => AdapterMethod,
): TObject => {
  const mapped: Record<string, unknown> = {};
  for (const name of memberNames(object)) {
    const member = (object as Readonly<Record<string, unknown>>)[name];
    mapped[name] = typeof member === "function" ? wrap(member.bind(object), name) : member;
  }
  // Same keys, same signatures.
  return mapped as TObject;
};

/** The keys of an object, and those of its classes. */
const memberNames = (object: object): ReadonlySet<string> => {
  const names = new Set<string>();
  let layer: unknown = object;
  while (typeof layer === "object" && layer !== null && layer !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(layer)) names.add(name);
    layer = Object.getPrototypeOf(layer);
  }
  names.delete("constructor");
  return names;
};

/** The methods that run the caller's own code, or only query the provider: their errors are the caller's alone. */
const infrastructureMethods: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

/** Called with the failed operation of an adapter, before the caller is. */
export type OnAdapterError = (operation: string, error: unknown) => void;

/** A state adapter whose failures are reported before they reach the caller, as `createQueuert` wraps its own. */
export const wrapStateAdapterWithLogging = <TAdapter extends AnyStateAdapter>(
  adapter: TAdapter,
  onError: OnAdapterError,
): TAdapter =>
  mapMethods(adapter, (method, name) =>
    infrastructureMethods.has(name) ? method : reporting(method, name, onError),
  );

/** The same for a notify adapter. */
export const wrapNotifyAdapterWithLogging = <TAdapter extends NotifyAdapter>(
  adapter: TAdapter,
  onError: OnAdapterError,
): TAdapter => mapMethods(adapter, (method, name) => reporting(method, name, onError));

/** A method that throws instead of rejecting rejects from here on. */
const reporting =
  (method: AdapterMethod, name: string, report: OnAdapterError): AdapterMethod =>
  (...args) => {
    const fail = (error: unknown): never => {
      report(name, error);
      throw error;
    };
    try {
      return method(...args).catch(fail);
    } catch (error) {
      return Promise.reject(error as Error).catch(fail);
    }
  };

/**
 * Binds the adapter to the store before its first use. The first notification or listener reads the identity: the store
 * may have no schema yet when the client is created. After a failure the next one reads it.
 */
export const createStoreNotifyAdapter = (
  adapter: NotifyAdapter,
  getStoreId: () => Promise<string>,
  onError: (error: unknown) => void,
): NotifyAdapter => {
  // An adapter whose channels no other store can reach.
  if (adapter.bindStore === undefined) return adapter;
  let isBound = false;
  let binding: Promise<void> | undefined;

  const bind = async (): Promise<void> => {
    try {
      adapter.bindStore?.({ storeId: await getStoreId(), onError });
      isBound = true;
    } finally {
      binding = undefined;
    }
  };
  const whenBound = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!isBound) await (binding ??= bind());
    return run();
  };

  return {
    notifyJobScheduled: (hints) => whenBound(() => adapter.notifyJobScheduled(hints)),
    listenJobScheduled: (listener) => whenBound(() => adapter.listenJobScheduled(listener)),
    notifyJobSequenceCompleted: (ids) => whenBound(() => adapter.notifyJobSequenceCompleted(ids)),
    listenJobSequenceCompleted: (listener) =>
      whenBound(() => adapter.listenJobSequenceCompleted(listener)),
    notifyJobOwnershipLost: (ids) => whenBound(() => adapter.notifyJobOwnershipLost(ids)),
    listenJobOwnershipLost: (listener) => whenBound(() => adapter.listenJobOwnershipLost(listener)),
    close: () => adapter.close(),
  };
};

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
): TAdapter => {
  const wrapped = mapMethods<TAdapter>(adapter, (method, name) =>
    // They run the caller's code, which must run once.
    infrastructureMethods.has(name) ? method : retrying(method, options),
  );
  const { limitKeys } = adapter;
  if (limitKeys === undefined) return wrapped;
  // A repeated change sets the same values.
  return { ...wrapped, limitKeys: mapMethods(limitKeys, (method) => retrying(method, options)) };
};

const retrying =
  (method: AdapterMethod, options: StateAdapterRetryOptions): AdapterMethod =>
  async (params, ...rest) => {
    const { toNamedError } = options;
    const { context } = (params ?? {}) as { readonly context?: unknown };
    for (let retry = 0; ; retry++) {
      try {
        return await method(params, ...rest);
      } catch (error) {
        if (context === undefined && (await waitBeforeRetry(error, retry, options))) continue;
        throw toNamedError === undefined ? error : toNamedError(error);
      }
    }
  };
