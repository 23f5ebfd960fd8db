// The state provider for `pg` with plain BEGIN and COMMIT.
import type { ClientBase, Pool, QueryConfig } from "pg";
import { StateNotInTransactionError } from "queuert";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import type { PgContext, PgTxContext } from "./pg.ts";
import {
  beginSql,
  type Loan,
  loanOf,
  type PgTransaction,
  runOnLentClient,
} from "./pg-lent-client.ts";
import { isInUsersTransaction, sendInUsersTransaction } from "./pg-users-transaction.ts";

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
        : // Not by the lent object, which would check the same again.
          await (loan?.client ?? client).query(query);
    // The driver does not know the columns.
    return rows as readonly PgRow[];
  },
  runInTransaction: (callback) => runOnLentClient(pool, beginTransaction, callback),
});

const beginTransaction = async ({ client }: Loan): Promise<PgTransaction> => {
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

/** Neither the pool nor another value, in calls that no compiler has checked. */
const isClient = (client: ClientBase | Pool | null | undefined): client is ClientBase =>
  typeof client?.query === "function" && !("totalCount" in client);
