// Runs the tests on another Node: `pnpm test:node 22 [arguments of vitest]`. The binary comes from
// npm and is kept in a cache outside the workspace. Neither the lockfile nor the machine's own Node
// changes.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { rootDir, run } from "./workspace.mjs";

/** @type {Record<string, string>} */
const versions = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

const [major = "", ...args] = process.argv.slice(2);
const version = versions[major];
if (version === undefined) {
  console.error(`Say which Node: pnpm test:node ${Object.keys(versions).join(" | ")}`);
  process.exit(2);
}

const binaryPackage = `node-${process.platform}-${process.arch}`;
const prefix = join(
  process.env["QUEUERT_CACHE_DIR"] ?? join(homedir(), ".cache", "queuert"),
  `node-${version}`,
);
const home = join(prefix, "node_modules", binaryPackage);
const node = join(home, "bin", "node");

if (!existsSync(node)) {
  mkdirSync(prefix, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--prefix", prefix];
  if (run("npm", ["install", ...flags, `${binaryPackage}@${version}`]) !== 0) process.exit(1);
}

const env = {
  ...process.env,
  PATH: `${join(home, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
  npm_config_nodedir: home,
};
console.log(`Node ${version}`);
process.exitCode = run(
  node,
  [
    join(rootDir, "node_modules/vitest/vitest.mjs"),
    ...["run", "--config", "vitest.workspace.ts", ...args],
  ],
  { env },
);
