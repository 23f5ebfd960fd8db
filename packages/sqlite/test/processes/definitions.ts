// The program that the processes of these tests run: orders of two steps each, and a report that waits for orders.
import { createQueuert, defineUnionJobTypes } from "queuert";
import type { DefineBlocker, DefineContinuationInput, DefineContinuationOutput } from "queuert";
import { createSqliteStateAdapter } from "../../src/index.ts";
import {
  createBetterSqlite3Provider,
  type SqliteSynchronous,
} from "../../src/providers/better-sqlite3.ts";
import { BetterSqlite3Database } from "../better-sqlite3.ts";

export const jobTypeDefinitions = defineUnionJobTypes<{
  order: { input: { order: number }; output: DefineContinuationOutput<"ship"> };
  ship: { input: DefineContinuationInput<{ order: number }>; output: { shipped: number } };
  report: {
    input: { first: number };
    output: { orders: number };
    blockers: [DefineBlocker<"order">, DefineBlocker<"order">];
  };
}>();

/** One row for each time that a job's completion was committed: two for one job would be a double completion. */
export const createTables = `
CREATE TABLE IF NOT EXISTS customer_order (number INTEGER PRIMARY KEY, sequence_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS effect (job_id TEXT NOT NULL, type_name TEXT NOT NULL, worker TEXT NOT NULL);`;

export const openClient = async (filename: string, synchronous: SqliteSynchronous) => {
  const stateProvider = await createBetterSqlite3Provider({
    filename,
    synchronous,
    driver: BetterSqlite3Database,
  });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  // These tests make workers lose leases on purpose: the log lines are not needed.
  const log = (): void => undefined;
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log });
  await stateProvider.write((connection) => connection.exec(createTables));
  return { queuert, stateProvider, stateAdapter };
};

export type ProcessClient = Awaited<ReturnType<typeof openClient>>;
