// Which drivers this Node has.
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { createNodeSqliteProvider } from "../src/providers/node-sqlite.ts";
import type { OpenProvider } from "../src/testing.ts";
import { BetterSqlite3Database, nodeMajor } from "./better-sqlite3.ts";

export const openBetterSqlite3: OpenProvider = (filename) =>
  createBetterSqlite3Provider({ filename, synchronous: "NORMAL", driver: BetterSqlite3Database });

export const openNodeSqlite: OpenProvider = (filename) =>
  createNodeSqliteProvider({ filename, synchronous: "NORMAL" });

/** Every driver that this Node has, by name. */
export const drivers: readonly (readonly [name: string, open: OpenProvider])[] = [
  ["better-sqlite3", openBetterSqlite3],
  ...(nodeMajor >= 22 ? [["node:sqlite", openNodeSqlite] as const] : []),
];
