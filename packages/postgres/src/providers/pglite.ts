import type { PGlite, Transaction } from "@electric-sql/pglite";
import { StateNotInTransactionError } from "queuert";
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

const rolledBack = new WeakSet<Transaction>();
const guardedClients = new WeakSet<PGlite>();

const isOver = (tx: Transaction): boolean => tx.closed || rolledBack.has(tx);

/** The driver closes a transaction when its `rollback` has ended. A statement in between would be stored by itself. */
const guardTransactions = (client: PGlite): void => {
  if (guardedClients.has(client)) return;
  guardedClients.add(client);
  const transaction = client.transaction.bind(client);
  client.transaction = (callback) =>
    transaction((tx) => {
      const { rollback } = tx;
      tx.rollback = () => {
        rolledBack.add(tx);
        return rollback();
      };
      return callback(tx);
    });
};

/**
 * The state provider for PGlite: PostgreSQL in this process, for quick tests and embedded use. It has one connection,
 * so a call without the context of an open transaction waits until that transaction has ended.
 *
 * @example
 * ```ts
 * const stateAdapter = await createPgStateAdapter({
 *   stateProvider: createPgliteStateProvider(await PGlite.create()),
 * });
 * ```
 */
export const createPgliteStateProvider = (
  client: PGlite,
): PgStateProvider<PgliteTxContext, PgliteContext> => {
  assertPglite(client);
  guardTransactions(client);
  return {
    contextKeys: ["client"],
    capabilities: {
      concurrentWriters: false,
      renewsLeasesBesideTransactions: false,
      sharedBetweenProcesses: false,
    },
    provideContext: (callback) => callback({ client }),
    isInTransaction: async ({ client: tx }) => isTransaction(tx) && !isOver(tx),
    executeSql: async ({ sql, params }, context) => {
      const tx = context?.client;
      if (isTransaction(tx) && isOver(tx)) throw new StateNotInTransactionError("A statement");
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
