// Facts about the workspace, and how the other scripts run a step.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @type {string} */
export const rootDir = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} path */
export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** @returns {Array<{ dir: string, path: string, name: string, isPublic: boolean, hasSource: boolean }>} */
export const packages = () =>
  readdirSync(join(rootDir, "packages"))
    .filter((dir) => existsSync(join(rootDir, "packages", dir, "package.json")))
    .map((dir) => {
      const path = join(rootDir, "packages", dir);
      const manifest = readJson(join(path, "package.json"));
      return {
        dir,
        path,
        name: manifest.name,
        isPublic: manifest.private !== true,
        hasSource: existsSync(join(path, "src")),
      };
    });

/** @returns {ReturnType<typeof packages>} the public packages that can be built, core first */
export const buildable = () =>
  packages()
    .filter(({ isPublic, hasSource }) => isPublic && hasSource)
    .sort((a, b) => Number(b.dir === "core") - Number(a.dir === "core"));

/** The exact pnpm this workspace is pinned to, without its hash. */
export const pinnedPnpm = () =>
  String(readJson(join(rootDir, "package.json")).packageManager).split("+")[0] ?? "";

/**
 * Runs a command to its end with our output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 * @returns {number} its exit code; 1 when it was killed or could not start
 */
export const run = (command, args, options = {}) => {
  const result = spawnSync(command, args, { cwd: rootDir, stdio: "inherit", ...options });
  if (result.error) console.error(`${command}: ${result.error.message}`);
  return result.status ?? 1;
};

/**
 * Runs pnpm whichever way this process was reached: `npx`, corepack or a global install.
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 */
export const pnpm = (args, options) => {
  const path = process.env["npm_execpath"] ?? "";
  return /pnpm[^/\\]*\.c?js$/.test(path)
    ? run(process.execPath, [path, ...args], options)
    : run("pnpm", args, options);
};

/**
 * The tsc in node_modules/.bin belongs to whichever TypeScript is newer, so each is called by its path.
 * @param {readonly string[]} args
 */
export const tsc7 = (args) =>
  run(process.execPath, [join(rootDir, "node_modules/typescript-7/bin/tsc"), ...args]);
