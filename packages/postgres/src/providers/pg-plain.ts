// The state provider for `pg`. One transaction after another borrows a client of the pool, with plain BEGIN and COMMIT unless it
// is given another way. Each transaction lends an object of its own: if that is used after its transaction, it refuses to join
// the next one.
import type { ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { StateNotInTransactionError, TransactionEndingError } from "queuert";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import type { PgContext, PgTxContext } from "./pg.ts";
import { type Query, refuseQuery, surviveBreaking } from "./pg-client.ts";
import { isInUsersTransaction, sendInUsersTransaction } from "./pg-users-transaction.ts";

export type ToQuery = (statement: PgStatement) => QueryConfig<(string | null)[]>;

/** `begin` opens the transaction of a lent client. */
export const createPlainProvider = (
  pool: Pool,
  toQuery: ToQuery,
  begin: Begin = beginTransaction,
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
          ((await (loan === undefined ? client.query(query) : loan.query(query))) as QueryResult);
    // The driver does not know the columns.
    return rows as readonly PgRow[];
  },
  runInTransaction: (callback) => runOnLentClient(pool, begin, callback),
});

/** Neither the pool nor another value, in calls that no compiler has checked. */
const isClient = (client: ClientBase | Pool | null | undefined): client is ClientBase =>
  typeof client?.query === "function" && !("totalCount" in client);

export interface Loan {
  readonly client: PoolClient;
  /** The client's own `query`. Until BEGIN is answered, one that sends BEGIN first. */
  query: Query;
  isOver: boolean;
  /** The object that was lent. */
  lent?: PoolClient;
  /** Once it is open. */
  transaction?: PgTransaction;
}

// Lent clients answer it. It replaced two weak maps when a start in a transaction was shortened. That took a fifth off the CPU
// time of the client.
const loanKey = Symbol("loan");

/** The loan of a lent client; undefined for a client of the driver, and for an object around a lent one. */
export const loanOf = (client: object): Loan | undefined => {
  // A wrapper of the provider may begin transactions of another kind, whose context has no client.
  const loan = (client as { readonly [loanKey]?: Loan } | undefined)?.[loanKey];
  return loan?.lent === client ? loan : undefined;
};

/** An open transaction of a client. */
export interface PgTransaction {
  commit(): Promise<void>;
  /** Returns the error after which the connection must not be used again. */
  rollBack(): Promise<Error | undefined>;
  /**
   * Runs one last statement and commits with it. If the statement fails, nothing is committed. Left out: the two are sent one
   * after the other.
   */
  queryAndCommit?(config: object): Promise<QueryResult>;
}

/** Opens a transaction on a lent client. */
export type Begin = (loan: Loan) => PgTransaction | Promise<PgTransaction>;

/** Runs the callback with a client of the pool, in a transaction that `begin` opens on it. */
const runOnLentClient = async <T>(
  pool: Pool,
  begin: Begin,
  callback: (context: { readonly client: ClientBase }) => Promise<T>,
): Promise<T> => {
  const client: PoolClient = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements emits an error; the next statement then fails.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  surviveBreaking(client);
  const query: Query = (...args) => Reflect.apply(client.query as Query, client, args);
  const loan: Loan = { client, query, isOver: false };
  let transaction: PgTransaction | undefined;
  try {
    transaction = await begin(loan);
    loan.transaction = transaction;
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
    client.off("error", onError);
    client.release(broken);
  }
};

export const beginSql = "BEGIN ISOLATION LEVEL READ COMMITTED";

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

/** An object that does all that the client does, until the loan is over. */
const lendClient = (loan: Loan): PoolClient => {
  const query: Query = (...args) => {
    if (!loan.isOver) return loan.query(...args);
    return refuseQuery(loan.client, args, new TransactionEndingError("A statement"));
  };
  loan.lent = new Proxy(loan.client, {
    get: (target, key) => {
      if (key === "query") return query;
      return key === loanKey ? loan : bound(target, key);
    },
  });
  return loan.lent;
};

/** Methods run on the client itself, which may have private fields. */
const bound = (client: ClientBase, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(client, key);
  // A class is read, not called: `client.constructor`.
  return typeof value === "function" && key !== "constructor" ? value.bind(client) : value;
};
