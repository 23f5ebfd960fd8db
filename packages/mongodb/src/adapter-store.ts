// From an adapter back to its store, for the kit of tests: the adapter itself has no method that moves it in time.
import type { CollectionNames } from "./database.ts";
import type { MongoStateProvider } from "./state-provider.ts";

export interface AdapterStore {
  readonly provider: MongoStateProvider;
  readonly names: CollectionNames;
}

const stores = new WeakMap<object, AdapterStore>();

export const rememberStore = (adapter: object, store: AdapterStore): void => {
  stores.set(adapter, store);
};

export const storeOf = (adapter: unknown): AdapterStore | undefined =>
  typeof adapter === "object" && adapter !== null ? stores.get(adapter) : undefined;
