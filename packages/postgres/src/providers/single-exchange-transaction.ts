// BEGIN and COMMIT without round trips of their own. BEGIN is sent with the first statement of the transaction, the
// adapter's or the user's, and COMMIT with a completion. The plain provider works without this file.
import type { ClientBase, Pool, QueryConfig, QueryResult } from "pg";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgStateProvider } from "../state-provider.ts";
import type { PgContext, PgTxContext } from "./pg.ts";
import {
  beginSql,
  type Loan,
  loanOf,
  type PgTransaction,
  type Query,
  runOnLentClient,
  sendAfter,
} from "./pg-lent-client.ts";
import type { ToQuery } from "./pg-plain.ts";
import {
  appendCommit,
  prependStatement,
  queryClassOf,
  submitQuery,
  toPreparedQuery,
  type WireQuery,
} from "./prepend-begin.ts";

/** The plain provider with transactions that begin and commit within exchanges of other statements. */
export const withSingleExchange = (
  plain: PgStateProvider<PgTxContext, PgContext>,
  pool: Pool,
  toQuery: ToQuery,
): PgStateProvider<PgTxContext, PgContext> => ({
  ...plain,
  executeSqlAndCommit: async (statement, { client }) => {
    // A wrapper of this provider may begin transactions of another kind.
    const loan = loanOf(client);
    const transaction = loan?.isOver === false ? open.get(loan) : undefined;
    const result = await transaction?.queryAndCommit(toQuery(statement));
    return result?.rows ?? null;
  },
  runInTransaction: (callback) => runOnLentClient(pool, beginTransaction, callback),
});

const beginTransaction = (loan: Loan): PgTransaction => {
  const transaction = openTransaction(loan.client);
  open.set(loan, transaction);
  return transaction;
};

const open = new WeakMap<Loan, SingleExchangeTransaction>();

interface SingleExchangeTransaction extends PgTransaction {
  /** Runs one last statement and commits with it. If the statement fails, nothing is committed. */
  queryAndCommit(config: object): Promise<QueryResult>;
}

/** BEGIN goes before the client's next statement. Statements that are sent before its answer wait for it. */
const openTransaction = (client: ClientBase): SingleExchangeTransaction => {
  const beginning = beginWithFirst(client);
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
  /** Gives the client its own `query` back. Null if BEGIN was never sent. */
  end(): Promise<void> | null;
}

const beginWithFirst = (client: ClientBase): Beginning => {
  const patched = client as unknown as { query: Query };
  const before = Object.getOwnPropertyDescriptor(client, "query");
  const send: Query = patched.query.bind(client);
  let begun: Promise<void> | null = null;
  // The client has its own `query` back; a reference to ours passes calls on.
  let isOpen = false;

  const pass = (): void => {
    if (isOpen) return;
    isOpen = true;
    if (before === undefined) delete (client as { query?: unknown }).query;
    else Object.defineProperty(client, "query", before);
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

  patched.query = (...args) => {
    if (isOpen) return send(...args);
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
    end: () => {
      const sent = begun;
      // Later statements of this transaction wait for BEGIN, and only then pass.
      if (sent === null) pass();
      return sent;
    },
  };
};

/** Statements that wait for BEGIN reject with its error; if there are none, the end of the transaction does. */
const reportedElsewhere = (): void => undefined;
