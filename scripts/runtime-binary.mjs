// Bun and Deno, and workerd, which runs Workers of Cloudflare. The binaries come from npm and are kept in a cache outside the workspace, as those of other versions of Node.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "./workspace.mjs";

const { platform, arch } = process;

/** @type {Record<string, { version: string, package: string, binary: string }>} */
const runtimes = {
  bun: {
    version: "1.4.4",
    package: `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`,
    binary: "bin/bun",
  },
  deno: {
    version: "2.9.6",
    package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    binary: "deno",
  },
  workerd: {
    version: "1.20261117.1",
    package: `@cloudflare/workerd-${platform}-${arch === "x64" ? "64" : arch}`,
    binary: "bin/workerd",
  },
};

/** Those that run Vitest. */
export const runtimeNames = ["bun", "deno"];

/**
 * Installs it if it is missing.
 * @param {string} name
 * @returns {{ version: string, path: string } | undefined} nothing for an unknown one, or if npm fails
 */
export const runtimeBinary = (name) => {
  const runtime = runtimes[name];
  if (runtime === undefined) return undefined;
  const { version, binary } = runtime;
  const prefix = join(
    process.env["QUEUERT_CACHE_DIR"] ?? join(homedir(), ".cache", "queuert"),
    `${name}-${version}`,
  );
  const path = join(prefix, "node_modules", runtime.package, binary);
  if (!existsSync(path)) {
    mkdirSync(prefix, { recursive: true });
    const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", prefix];
    if (run("npm", ["install", ...flags, `${runtime.package}@${version}`]) !== 0) return undefined;
  }
  return { version, path };
};
