import { type AdapterMethod, infrastructureMethods, mapMethods } from "../adapters/map-methods.ts";
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";

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
