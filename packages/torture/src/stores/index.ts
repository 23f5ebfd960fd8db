import type { Store, StoreName } from "./store.ts";

const loaders: Readonly<Record<StoreName, () => Promise<{ readonly store: Store }>>> = {
  postgres: () => import("./postgres.ts"),
  sqlite: () => import("./sqlite.ts"),
  mongodb: () => import("./mongodb.ts"),
};

export const storeNames: readonly string[] = Object.keys(loaders);

/** Only the driver that is asked for is loaded. */
export const loadStore = async (name: StoreName): Promise<Store> => (await loaders[name]()).store;
