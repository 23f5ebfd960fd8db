// The real stores, each with a database of its own for one test.
import { providedMongodb, providedPostgres } from "@queuert/test-services/provided";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadStore } from "../../src/stores/index.ts";
import type { OpenStore, StoreName } from "../../src/stores/store.ts";

export interface OpenedStore extends OpenStore {
  readonly url: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const openAt = async (
  name: StoreName,
  url: string,
  drop: () => Promise<void>,
): Promise<OpenedStore> => {
  const kind = await loadStore(name);
  await kind.prepare(url);
  const store = await kind.open(url, 5);
  const close = async (): Promise<void> => {
    await store.close();
    await drop();
  };
  return { ...store, url, [Symbol.asyncDispose]: close };
};

const openFile = (): Promise<OpenedStore> => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-fuzz-"));
  const drop = (): Promise<void> =>
    Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  return openAt("sqlite", join(folder, "jobs.sqlite"), drop);
};

export interface StoreToFuzz {
  readonly name: StoreName;
  readonly opened: () => Promise<OpenedStore>;
  readonly numRuns: number;
}

export const openStores: readonly StoreToFuzz[] = [
  { name: "sqlite", opened: openFile, numRuns: 60 },
  {
    name: "postgres",
    opened: async () => {
      const { url, drop } = await providedPostgres().createDatabase();
      return openAt("postgres", url, drop);
    },
    numRuns: 40,
  },
  {
    name: "mongodb",
    opened: async () => {
      const { url, drop } = await providedMongodb().createDatabase();
      return openAt("mongodb", url, drop);
    },
    numRuns: 30,
  },
];
