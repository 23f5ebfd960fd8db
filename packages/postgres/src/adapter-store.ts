// From an adapter back to its store, for the kit of tests: the adapter itself has no method that moves it in time.
import type { BaseStateAdapterContext } from "queuert/internal";
import type { PgStateProvider } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

export interface AdapterStore {
  readonly provider: PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>;
  readonly names: StoreNames;
  /** Forgets the instants that the adapter remembers. */
  readonly forget: () => void;
}

const stores = new WeakMap<object, AdapterStore>();

export const rememberStore = (adapter: object, store: AdapterStore): void => {
  stores.set(adapter, store);
};

export const storeOf = (adapter: unknown): AdapterStore | undefined =>
  typeof adapter === "object" && adapter !== null ? stores.get(adapter) : undefined;
