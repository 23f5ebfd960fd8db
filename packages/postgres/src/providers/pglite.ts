import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { assertPglite } from "./assert-client.ts";

/** Spread it into calls made inside a transaction of PGlite. */
export interface PgliteTxContext {
  readonly client: Transaction;
}

/** A transaction, or the database. */
export interface PgliteContext {
  readonly client: PGlite | Transaction;
}

/** Neither the database itself nor another value, in calls that no compiler has checked. */
const isTransaction = (tx: PGlite | Transaction | null | undefined): tx is Transaction =>
  typeof tx === "object" && tx !== null && "rollback" in tx;

/**
 * The state provider for PGlite: PostgreSQL in this process, for quick tests and embedded use. It has one connection,
 * so a call without the context of an open transaction waits until that transaction has ended.
 */
export const createPgliteStateProvider = (
  client: PGlite,
): PgStateProvider<PgliteTxContext, PgliteContext> => {
  assertPglite(client);
  return {
    contextKeys: ["client"],
    capabilities: {
      concurrentWriters: false,
      renewsLeasesBesideTransactions: false,
      sharedBetweenProcesses: false,
    },
    provideContext: (callback) => callback({ client }),
    isInTransaction: async ({ client: tx }) => isTransaction(tx) && !tx.closed,
    executeSql: async ({ sql, params }, context) => {
      const { rows } = await (context?.client ?? client).query<PgRow>(sql, [...params]);
      return rows;
    },
    runInTransaction: (callback) =>
      client.transaction(async (tx) => {
        await tx.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        const result = await callback({ client: tx });
        // In a transaction in which a statement has failed this fails too; COMMIT would roll back without a word.
        await tx.query("SELECT 1");
        return result;
      }),
  };
};
