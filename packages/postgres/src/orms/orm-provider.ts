// The common part of the state providers over ORMs. Workers run in transactions of the ORM, so a completion, the rows of the user
// and the next job are committed together. The ORM sends every statement.
import { StateNotInTransactionError } from "queuert";
import { PgTransactionAbortedError } from "../errors.ts";
import { codeOf } from "../named-errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { createUsersTransactions } from "./users-transactions.ts";

/** Sends one statement with the ORM. */
export type SendSql<TOn> = (on: TOn, statement: PgStatement) => Promise<readonly PgRow[]>;

/** The part of a state provider that each ORM has in its own way. */
export interface PgOrm<TKey extends string, TDatabase extends object, TTransaction extends object> {
  /** The key of the database and of transactions in contexts: `{ db: tx }`. */
  readonly key: TKey;
  readonly database: TDatabase;
  /** Runs the callback in a new transaction at READ COMMITTED, and commits when it resolves. */
  readonly transaction: <T>(callback: (tx: TTransaction) => Promise<T>) => Promise<T>;
  readonly send: SendSql<TDatabase | TTransaction>;
  /** Whether the value is a transaction of the ORM, open or ended. It may be any value, in calls that no compiler has checked. */
  readonly isTransaction: (on: unknown) => on is TTransaction;
  /** Whether the ORM has refused a statement because the transaction has ended. */
  readonly isEndedError: (error: Error) => boolean;
  readonly connectionsMax: number | undefined;
  /** Whether `transaction` rejects if the server answers COMMIT with a rollback. Left out: as most ORMs, it ignores the answer. */
  readonly checksCommit?: true;
  /** Sends the last statement of a transaction of `transaction`, and commits with it. */
  readonly sendAndCommit?: (
    tx: TTransaction,
    statement: PgStatement,
  ) => Promise<readonly PgRow[] | null>;
}

/** The common option of the providers over ORMs. */
export interface PgOrmProviderOptions {
  /**
   * How many connections the ORM's pool has. The adapter keeps one of them free of transactions, so that leases are renewed.
   * Default: unknown, and then every connection may hold a transaction.
   */
  readonly connectionsMax?: number | undefined;
}

export type OrmContext<TKey extends string, TValue> = Readonly<Record<TKey, TValue>>;

/** Or another value, in calls that no compiler has checked. */
const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** A transaction that the provider has opened. */
interface OwnTransaction {
  isOver: boolean;
  /** Statements that were accepted and have not settled. */
  readonly pending: Set<Promise<unknown>>;
}

export const createOrmProvider = <
  TKey extends string,
  TDatabase extends object,
  TTransaction extends object,
>(
  orm: PgOrm<TKey, TDatabase, TTransaction>,
): PgStateProvider<OrmContext<TKey, TTransaction>, OrmContext<TKey, TDatabase | TTransaction>> => {
  const { key, database, send, isTransaction, sendAndCommit } = orm;
  const own = new WeakMap<object, OwnTransaction>();
  const users = createUsersTransactions(send, orm.isEndedError);
  // A computed key has the type `string` to the compiler.
  const toContext = <TValue>(value: TValue) => ({ [key]: value }) as OrmContext<TKey, TValue>;
  return {
    contextKeys: [key],
    connectionsMax: orm.connectionsMax,
    provideContext: (callback) => callback(toContext(database)),
    isInTransaction: async ({ [key]: on }) => {
      const ours = isObject(on) ? own.get(on) : undefined;
      if (ours !== undefined) return !ours.isOver;
      return isTransaction(on) && users.isInside(on);
    },
    executeSql: async (statement, context) => {
      const on = context?.[key] ?? database;
      const ours = own.get(on);
      if (ours?.isOver === true) throw new StateNotInTransactionError("A statement");
      if (ours !== undefined) return track(ours, send(on, statement));
      const isWrite = statement.isWrite === true;
      if (isTransaction(on))
        return isWrite ? users.write(on, statement) : users.read(on, statement);
      // An ended transaction may look like a database.
      if (isWrite && on !== database) throw new StateNotInTransactionError("A write");
      return send(on, statement);
    },
    ...(sendAndCommit !== undefined && {
      executeSqlAndCommit: async (statement, { [key]: tx }) =>
        own.get(tx)?.isOver === false ? sendAndCommit(tx, statement) : null,
    }),
    runInTransaction: (callback) =>
      orm.transaction(async (tx) => {
        const ours: OwnTransaction = { isOver: false, pending: new Set() };
        own.set(tx, ours);
        try {
          const result = await callback(toContext(tx));
          await leave(ours);
          if (orm.checksCommit !== true)
            await assertNotFailed(() => send(tx, { sql: "SELECT 1", params: [] }));
          return result;
        } finally {
          await leave(ours);
        }
      }),
  };
};

/** Before the ORM sends COMMIT or ROLLBACK: a statement behind it would be stored by itself. */
const leave = async (ours: OwnTransaction): Promise<void> => {
  ours.isOver = true;
  await Promise.allSettled(ours.pending);
};

const failedTransaction = "25P02";

/** ORMs ignore the server's answer to COMMIT. In a transaction with a failed statement that is a rollback without an error. */
const assertNotFailed = async (probe: () => Promise<unknown>): Promise<void> => {
  try {
    await probe();
  } catch (error) {
    const isFailed = error instanceof Error && codeOf(error) === failedTransaction;
    throw isFailed ? new PgTransactionAbortedError({ cause: error }) : error;
  }
};

const track = <T>({ pending }: OwnTransaction, statement: Promise<T>): Promise<T> => {
  pending.add(statement);
  const settled = (): void => void pending.delete(statement);
  statement.then(settled, settled);
  return statement;
};
