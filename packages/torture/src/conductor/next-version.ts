// The next version of a store's package, as its own tests of upgrades make it, and how a process runs with it.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { NextVersion } from "@queuert/test-services/next-version";
import type { StoreName } from "../stores/store.ts";

interface Copying {
  readonly copyAsNextVersion: () => Promise<NextVersion>;
}

/** A copy with a migration more, and changed statements. */
export const copyNextVersion = async (store: StoreName): Promise<NextVersion> => {
  const path = new URL(`../../../${store}/test/upgrade/next-version.ts`, import.meta.url);
  return ((await import(path.href)) as Copying).copyAsNextVersion();
};

const hook = fileURLToPath(new URL("../child/next-version.mjs", import.meta.url));

export const nextVersionFlags: readonly string[] = ["--import", hook];

export const nextVersionEnvironment = (
  store: StoreName,
  folder: string,
): Readonly<Record<string, string>> => ({
  QUEUERT_TORTURE_NEXT_VERSION: JSON.stringify({
    name: `@queuert/${store}`,
    parentURL: pathToFileURL(join(folder, "src", "index.ts")).href,
  }),
});
