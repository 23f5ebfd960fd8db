import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import BetterSqlite3 from "better-sqlite3";
import { createQueuert, type Log } from "queuert";
import { jobTypes } from "./job-types.ts";

// better-sqlite3 12 runs on Node 20, 13 on newer; one of the two is built for the Node that runs this.
const isNewNode = Number(process.versions.node.split(".")[0]) >= 22;
const driver = isNewNode
  ? ((await import("better-sqlite3-node22" as string)) as { default: typeof BetterSqlite3 }).default
  : BetterSqlite3;

/** The same file in every process: that is all the infrastructure there is. */
export const openQueuert = async (filename: string, log: Log) => {
  const stateProvider = await createBetterSqlite3Provider({ filename, driver });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions: jobTypes, log });
  return { queuert, stateProvider };
};
