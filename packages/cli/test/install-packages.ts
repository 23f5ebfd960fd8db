// Runs once before the tests of this package: makes a `node_modules` of the packages, each as it would be published, without
// its declarations. Tests then start the program in well under a second, and resolve packages as a user's Node does.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const drivers = ["better-sqlite3", "mongodb", "pg", "postgres", "commander", "jiti", "bullmq"];

export default function install(project: TestProject): () => void {
  const temporary = mkdtempSync(join(tmpdir(), "queuert-installed-"));
  // Links to it are resolved, and packages find each other only under this name.
  const folder = join(temporary, "node_modules");
  const script = join(root, "scripts/install-sources.mjs");
  const names = ["core", "sqlite", "postgres", "mongodb", "dashboard", "mcp", "cli"];
  const { status, stderr } = spawnSync(process.execPath, [script, folder, ...names], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`install-sources failed: ${stderr}`);
  for (const name of drivers) {
    // 12 is compiled for Node 20 only.
    const isNewNode = name === "better-sqlite3" && !process.versions.node.startsWith("20.");
    const source = isNewNode ? "better-sqlite3-node22" : name;
    symlinkSync(join(root, "packages/cli/node_modules", source), join(folder, name));
  }
  for (const [from, name] of [
    ["dashboard", "hono"],
    ["dashboard", "@hono/node-server"],
    ["mcp", "@modelcontextprotocol/server"],
    ["mcp", "zod"],
  ] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(root, "packages", from, "node_modules", name), join(folder, name));
  }
  project.provide("queuert:installed", folder);
  return () => rmSync(temporary, { recursive: true, force: true });
}
