// The state provider for `pg` with plain BEGIN and COMMIT.
import type { ClientBase, Pool, PoolClient, QueryConfig } from "pg";
import { StateNotInTransactionError } from "queuert";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import type { PgContext, PgTxContext } from "./pg.ts";
import { lendClient, type Loan, loanOf } from "./pg-lent-client.ts";
import { isInUsersTransaction, sendInUsersTransaction } from "./pg-users-transaction.ts";
import { surviveBreaking } from "./survive-idle-clients.ts";

export type ToQuery = (statement: PgStatement) => QueryConfig<(string | null)[]>;

export const createPlainProvider = (
  pool: Pool,
  toQuery: ToQuery,
): PgStateProvider<PgTxContext, PgContext> => ({
  contextKeys: ["client"],
  connectionsMax: pool.options.max,
  provideContext: (callback) => callback({ client: pool }),
  isInTransaction: async (context) => {
    const { client } = context;
    if (!isClient(client)) return false;
    const loan = loanOf(client);
    return loan === undefined ? isInUsersTransaction(client, context) : !loan.isOver;
  },
  executeSql: async (statement, context) => {
    const query = toQuery(statement);
    const client = context?.client ?? pool;
    const loan = loanOf(client);
    if (loan?.isOver === true) throw new StateNotInTransactionError("A statement");
    const isUsers = loan === undefined && context !== undefined && isClient(client);
    const { rows } =
      isUsers && statement.isWrite === true
        ? await sendInUsersTransaction(client, query, context)
        : await client.query(query);
    // The driver does not know the columns.
    return rows as readonly PgRow[];
  },
  runInTransaction: (callback) => runInTransaction(pool, beginTransaction, callback),
});

/** An open transaction of a client. */
export interface PgTransaction {
  commit(): Promise<void>;
  /** Returns the error after which the connection must not be used again. */
  rollBack(): Promise<Error | undefined>;
  /** Called before another caller can get the client. */
  forget?(): void;
}

export const beginSql = "BEGIN ISOLATION LEVEL READ COMMITTED";

const beginTransaction = async (client: ClientBase): Promise<PgTransaction> => {
  await client.query(beginSql);
  return {
    commit: async () => {
      const { command } = await client.query("COMMIT");
      if (command === "ROLLBACK") throw new PgTransactionAbortedError();
    },
    rollBack: () =>
      client.query("ROLLBACK").then(
        () => undefined,
        (error: Error) => error,
      ),
  };
};

export const runInTransaction = async <T>(
  pool: Pool,
  begin: (client: ClientBase) => PgTransaction | Promise<PgTransaction>,
  callback: (context: PgTxContext) => Promise<T>,
): Promise<T> => {
  const client: PoolClient = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements emits an error; the next statement then fails.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  surviveBreaking(client);
  const loan: Loan = { client, isOver: false };
  let transaction: PgTransaction | undefined;
  try {
    transaction = await begin(client);
    const result = await callback({ client: lendClient(loan) });
    // Before COMMIT or ROLLBACK is sent: a statement behind it would be stored by itself.
    loan.isOver = true;
    await transaction.commit();
    return result;
  } catch (error) {
    loan.isOver = true;
    // If BEGIN failed, the state of the connection is unknown.
    const unusable = transaction === undefined ? (error as Error) : await transaction.rollBack();
    broken ??= unusable;
    throw error;
  } finally {
    transaction?.forget?.();
    client.off("error", onError);
    client.release(broken);
  }
};

/** Neither the pool nor another value, in calls that no compiler has checked. */
const isClient = (client: ClientBase | Pool | null | undefined): client is ClientBase =>
  typeof client?.query === "function" && !("totalCount" in client);
