// better-sqlite3 12 is compiled for Node 20; from 22 on its alias brings binaries of its own.
import type BetterSqlite3 from "better-sqlite3";
import { createRequire } from "node:module";

export const nodeMajor: number = Number(process.versions.node.split(".")[0]);

const require = createRequire(import.meta.url);

/** The constructor of better-sqlite3. The alias has no types of its own; it is the same package. */
export const BetterSqlite3Database: typeof BetterSqlite3 = require(
  nodeMajor >= 22 ? "better-sqlite3-node22" : "better-sqlite3",
) as typeof BetterSqlite3;
