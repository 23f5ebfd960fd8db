// From a machine with only Node and npm to a running command: `node scripts/fresh.mjs check`.
// Fetches the pinned pnpm with npx (no corepack, nothing global) and installs the lockfile as it
// is. Then it runs the named script of the root package.json.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pinnedPnpm, run } from "./workspace.mjs";

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error("Name a script of package.json: node scripts/fresh.mjs demo");
  process.exit(2);
}

/** @param {string} command */
const isThere = (command) => spawnSync(command, ["--version"]).error === undefined;

// better-sqlite3 12 compiles where its prebuilt binaries cannot be fetched.
const ensureCompiler = () => {
  const missing = ["python3", "make", "g++"].filter((command) => !isThere(command));
  if (missing.length === 0 || process.platform !== "linux") return;
  if (process.getuid?.() === 0 && isThere("apt-get")) {
    run("apt-get", ["update"]);
    if (run("apt-get", ["install", "-y", "--no-install-recommends", ...missing]) === 0) return;
  }
  console.error(`If compiling better-sqlite3 fails: install ${missing.join(", ")} and try again.`);
};

// The headers this Node was installed with: no download, and never those of another version that
// the user's npm settings point to.
const prefix = dirname(dirname(process.execPath));
const hasHeaders = existsSync(join(prefix, "include/node/node.h"));

const windows = process.platform === "win32";
/** @param {readonly string[]} command */
const pnpm = (command) =>
  run(windows ? "npx.cmd" : "npx", ["--yes", pinnedPnpm(), ...command], {
    env: { ...process.env, ...(hasHeaders && { npm_config_nodedir: prefix }) },
    ...(windows && { shell: true }),
  });

ensureCompiler();
process.exitCode = pnpm(["install", "--frozen-lockfile"]) || pnpm(["run", script, ...args]);
