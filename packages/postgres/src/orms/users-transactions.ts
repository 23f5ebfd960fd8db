// Transactions that the user has begun with the ORM. Few ORMs tell whether a transaction has ended, and an object that is kept
// writes into the transaction that its connection has begun next. The server tells transactions of one connection apart by
// the time of their beginning.
import { StateNotInTransactionError } from "queuert";
import { codeOf, messagesOf } from "../named-errors.ts";
import type { SendSql } from "./orm-provider.ts";
import { mapParameters } from "./parameters.ts";

export interface UsersTransactions<TTransaction> {
  /** Whether the transaction is open. Asks the server. */
  isInside(tx: TTransaction): Promise<boolean>;
  /** Runs a statement that reads. */
  read: SendSql<TTransaction>;
  /** Runs a statement that writes. Refuses it if the transaction has ended when the server runs it. */
  write: SendSql<TTransaction>;
}

const began = "pg_catalog.date_part('epoch', pg_catalog.now())::pg_catalog.text";

// Outside a transaction block both times are the moment this statement began.
const askSql =
  `SELECT ${began} AS began, ` +
  "(pg_catalog.now() OPERATOR(pg_catalog.<>) pg_catalog.statement_timestamp())::integer AS inside";

const failedTransaction = "25P02";
const mark = "queuert: another transaction than that of the context";

/**
 * Makes the statement fail outside the transaction that has begun at the time of its last parameter. The cast fails only when it
 * runs: its text depends on `now()`, so the planner cannot run it before.
 */
const guardedSql = (sql: string, paramCount: number): string => {
  const isSame = `${began} OPERATOR(pg_catalog.=) $${paramCount + 1}::pg_catalog.text`;
  const fail = `pg_catalog.concat('${mark} ', pg_catalog.now())::integer::pg_catalog.text`;
  const guarded = `(CASE WHEN ${isSame} THEN $1::pg_catalog.text ELSE ${fail} END)`;
  return mapParameters(sql, (index) => (index === 0 ? guarded : `$${index + 1}`));
};

export const createUsersTransactions = <TTransaction extends object>(
  send: SendSql<TTransaction>,
  isEndedError: (error: Error) => boolean,
): UsersTransactions<TTransaction> => {
  /** When each transaction began, in the words of the server; the first that was seen is that of the object. */
  const beginnings = new WeakMap<TTransaction, string>();
  const guardedTexts = new Map<string, string>();

  const isInside = async (tx: TTransaction): Promise<boolean> => {
    try {
      const [row] = await send(tx, { sql: askSql, params: [] });
      if (Number(row?.["inside"]) !== 1) return false;
      const now = String(row?.["began"]);
      if (!beginnings.has(tx)) beginnings.set(tx, now);
      return beginnings.get(tx) === now;
    } catch (error) {
      if (!(error instanceof Error) || isEndedError(error)) return false;
      // A statement of the user has failed: the next statement reports it.
      if (codeOf(error) === failedTransaction) return true;
      throw error;
    }
  };

  const refusing = async <T>(operation: string, statement: Promise<T>): Promise<T> => {
    try {
      return await statement;
    } catch (error) {
      if (!(error instanceof Error) || !(isEndedError(error) || messagesOf(error).includes(mark)))
        throw error;
      throw new StateNotInTransactionError(operation, undefined, { cause: error });
    }
  };

  const toGuarded = (sql: string, paramCount: number): string => {
    let text = guardedTexts.get(sql);
    if (text === undefined) {
      text = guardedSql(sql, paramCount);
      guardedTexts.set(sql, text);
    }
    return text;
  };

  return {
    isInside,
    read: (tx, statement) => refusing("A statement", send(tx, statement)),
    write: async (tx, { sql, params }) => {
      if (!beginnings.has(tx) && !(await isInside(tx)))
        throw new StateNotInTransactionError("A write");
      const beginning = beginnings.get(tx);
      // Only a failed transaction has no known beginning, and the server refuses every statement of it.
      const statement =
        beginning === undefined
          ? send(tx, { sql, params })
          : send(tx, { sql: toGuarded(sql, params.length), params: [...params, beginning] });
      return refusing("A write", statement);
    },
  };
};
