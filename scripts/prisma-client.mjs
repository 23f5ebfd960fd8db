// Writes the client of Prisma for a schema, as `prisma generate` does for a user. Prisma's command line comes from npm and is kept in a
// cache outside the workspace.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "./workspace.mjs";

const version = "7.10.0";

const commandLine = () => {
  const prefix = join(
    process.env["QUEUERT_CACHE_DIR"] ?? join(homedir(), ".cache", "queuert"),
    `prisma-${version}`,
  );
  const path = join(prefix, "node_modules/prisma/build/index.js");
  if (!existsSync(path)) {
    mkdirSync(prefix, { recursive: true });
    const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", prefix];
    if (run("npm", ["install", ...flags, `prisma@${version}`]) !== 0)
      throw new Error("Prisma could not be installed from npm");
  }
  return path;
};

/**
 * Generates the client of `prisma/schema.prisma`.
 * @param {string} folder
 */
export const generatePrismaClient = (folder) => {
  // The engine changes schemas. It is downloaded from another place than npm, and generates nothing.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  const args = [commandLine(), "generate", "--no-hints"];
  if (run(process.execPath, args, { cwd: folder, env, stdio: "ignore" }) !== 0)
    throw new Error(`prisma generate failed in ${folder}`);
};
