// Which drivers this runtime has.
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { createBunSqliteProvider } from "../src/providers/bun.ts";
import { createNodeSqliteProvider } from "../src/providers/node-sqlite.ts";
import type { OpenProvider } from "../src/testing.ts";
import { BetterSqlite3Database, nodeMajor } from "./better-sqlite3.ts";

export const openBetterSqlite3: OpenProvider = (filename) =>
  createBetterSqlite3Provider({ filename, synchronous: "NORMAL", driver: BetterSqlite3Database });

export const openNodeSqlite: OpenProvider = (filename) =>
  createNodeSqliteProvider({ filename, synchronous: "NORMAL" });

export const openBunSqlite: OpenProvider = (filename) =>
  createBunSqliteProvider({ filename, synchronous: "NORMAL" });

export const isBun: boolean = process.versions["bun"] !== undefined;

/** Every driver that this runtime has, by name. */
export const drivers: readonly (readonly [name: string, open: OpenProvider])[] = [
  ["better-sqlite3", openBetterSqlite3],
  ...(nodeMajor >= 22 ? [["node:sqlite", openNodeSqlite] as const] : []),
  ...(isBun ? [["bun:sqlite", openBunSqlite] as const] : []),
];
