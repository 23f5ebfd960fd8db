// BEGIN and COMMIT without round trips of their own. BEGIN is sent with the first statement of the transaction, the
// adapter's or the user's, and COMMIT with a completion. The plain provider works without this file.
import type { QueryConfig, QueryResult } from "pg";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgStateProvider } from "../state-provider.ts";
import type { PgContext, PgTxContext } from "./pg.ts";
import { sendAfter } from "./pg-client.ts";
import { beginSql, type Loan, loanOf, type PgTransaction, type ToQuery } from "./pg-plain.ts";
import {
  appendCommit,
  prependStatement,
  queryClassOf,
  submitQuery,
  toPreparedQuery,
  type WireQuery,
} from "./prepend-begin.ts";

/** Runs the last statement of a transaction that `openTransaction` has opened, and commits with it. */
export const commitWith =
  (toQuery: ToQuery): ExecuteSqlAndCommit =>
  async (statement, { client }) => {
    // A wrapper of this provider may begin transactions of another kind.
    const loan = loanOf(client);
    const transaction = loan?.isOver === false ? loan.transaction : undefined;
    const result = await transaction?.queryAndCommit?.(toQuery(statement));
    return result?.rows ?? null;
  };

type ExecuteSqlAndCommit = NonNullable<
  PgStateProvider<PgTxContext, PgContext>["executeSqlAndCommit"]
>;

/** BEGIN goes before the next statement. Statements that are sent before its answer wait for it. */
export const openTransaction = (loan: Loan): PgTransaction => {
  const { client } = loan;
  const beginning = beginWithFirst(loan);
  let isCommitted = false;
  const commit = async (): Promise<void> => {
    const begun = beginning.end();
    // No statement was sent, so there is nothing to commit.
    if (isCommitted || begun === null) return;
    await begun;
    const { command } = await client.query("COMMIT");
    if (command === "ROLLBACK") throw new PgTransactionAbortedError();
    isCommitted = true;
  };
  return {
    queryAndCommit: async (config) => {
      const Query = queryClassOf(client);
      if (Query === undefined) {
        await beginning.ensure();
        const result = await client.query(config as QueryConfig);
        await commit();
        return result;
      }
      const query = new Query(config);
      const commitAnswer = appendCommit(query);
      const result = await beginning.sendLast(query);
      if (commitAnswer() !== "COMMIT") throw new PgTransactionAbortedError();
      isCommitted = true;
      return result;
    },
    commit,
    rollBack: async () => {
      const begun = beginning.end();
      if (begun === null || isCommitted) return undefined;
      try {
        // If BEGIN failed, the state of the connection is unknown.
        await begun;
        await client.query("ROLLBACK");
        return undefined;
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    },
  };
};

interface Beginning {
  /** Sends BEGIN by itself, unless it has been sent. */
  ensure(): Promise<void>;
  /** Sends a prepared statement after BEGIN, or together with it if no statement was sent before. */
  sendLast(query: WireQuery): Promise<QueryResult>;
  /** Null if BEGIN was never sent. */
  end(): Promise<void> | null;
}

const beginWithFirst = (loan: Loan): Beginning => {
  const { client, query: send } = loan;
  let begun: Promise<void> | null = null;

  const pass = (): void => {
    loan.query = send;
  };
  const ensure = (): Promise<void> => {
    if (begun === null) {
      begun = (send(beginSql) as Promise<unknown>).then(pass);
      begun.catch(reportedElsewhere);
    }
    return begun;
  };
  const first = (query: WireQuery): Promise<QueryResult> => {
    begun = new Promise((resolve, reject) => {
      const onBegun = (): void => {
        pass();
        resolve();
      };
      prependStatement(query, beginSql, { onDone: onBegun, onFailed: reject });
    });
    begun.catch(reportedElsewhere);
    return submitQuery(send, query);
  };

  loan.query = (...args) => {
    const query = begun === null ? toPreparedQuery(client, args) : undefined;
    return query === undefined ? sendAfter(client, ensure(), send, args) : first(query);
  };
  return {
    ensure,
    sendLast: async (query) => {
      if (begun === null) return first(query);
      await begun;
      return submitQuery(send, query);
    },
    end: () => begun,
  };
};

/** Statements that wait for BEGIN reject with its error; if there are none, the end of the transaction does. */
const reportedElsewhere = (): void => undefined;
