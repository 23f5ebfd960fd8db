import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";

/** Called with the failed operation of an adapter, before the caller is. */
export type OnAdapterError = (operation: string, error: unknown) => void;

/** They run the caller's own code, or only query the provider: their errors are their caller's alone. */
const infrastructure: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

/** A state adapter whose failures are reported before they reach the caller, as `createQueuert` wraps its own. */
export const wrapStateAdapterWithLogging = <TAdapter extends AnyStateAdapter>(
  adapter: TAdapter,
  onError: OnAdapterError,
): TAdapter => reportFailures(adapter, infrastructure, onError);

/** The same for a notify adapter. */
export const wrapNotifyAdapterWithLogging = <TAdapter extends NotifyAdapter>(
  adapter: TAdapter,
  onError: OnAdapterError,
): TAdapter => reportFailures(adapter, new Set(), onError);

/**
 * Wraps every method of an adapter, by key, so that its rejection is reported before the caller receives it. The
 * adapter may be an instance of a class, and a method that throws instead of rejecting rejects from here on.
 * `except` names the methods that are handed on as they are.
 */
const reportFailures = <TAdapter extends object>(
  adapter: TAdapter,
  except: ReadonlySet<string>,
  report: OnAdapterError,
): TAdapter => {
  const wrapped: Record<string, unknown> = {};
  for (const name of memberNames(adapter)) {
    const member = (adapter as Readonly<Record<string, unknown>>)[name];
    if (typeof member !== "function") wrapped[name] = member;
    else if (except.has(name)) wrapped[name] = member.bind(adapter);
    else wrapped[name] = reporting(adapter, name, member as Method, report);
  }
  // Same keys, same signatures.
  return wrapped as TAdapter;
};

type Method = (...args: unknown[]) => Promise<unknown>;

const reporting =
  (adapter: object, name: string, method: Method, report: OnAdapterError): Method =>
  (...args) => {
    const fail = (error: unknown): never => {
      report(name, error);
      throw error;
    };
    try {
      return method.apply(adapter, args).catch(fail);
    } catch (error) {
      return Promise.reject(error as Error).catch(fail);
    }
  };

/** Its own keys and those of its classes. */
const memberNames = (adapter: object): ReadonlySet<string> => {
  const names = new Set<string>();
  let layer: unknown = adapter;
  while (typeof layer === "object" && layer !== null && layer !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(layer)) names.add(name);
    layer = Object.getPrototypeOf(layer);
  }
  names.delete("constructor");
  return names;
};
