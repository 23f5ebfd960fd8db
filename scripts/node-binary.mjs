// Another Node than the machine's own. The binary comes from npm and is kept in a cache outside the workspace. Neither the
// lockfile nor the machine's own Node changes.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { run } from "./workspace.mjs";

/** @type {Record<string, string>} */
const versions = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

export const nodeMajors = Object.keys(versions);

/**
 * Installs it if it is missing.
 * @param {string} major
 * @returns {{ version: string, node: string, env: NodeJS.ProcessEnv } | undefined} nothing for an unknown one, or if npm fails
 */
export const nodeBinary = (major) => {
  const version = versions[major];
  if (version === undefined) return undefined;
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
    if (run("npm", ["install", ...flags, `${binaryPackage}@${version}`]) !== 0) return undefined;
  }
  const path = `${join(home, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return { version, node, env: { ...process.env, PATH: path, npm_config_nodedir: home } };
};
