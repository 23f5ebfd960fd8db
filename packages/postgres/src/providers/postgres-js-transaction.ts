// The driver does not commit here, because it ignores the server's answer to COMMIT. A transaction with a failed statement
// would be rolled back without an error. The driver also prepares its COMMIT by name. If a proxy has put another connection
// behind that name, the COMMIT fails and is repeated in the broken transaction. All is then lost while `begin` resolves.
// The driver therefore commits only the empty transaction that follows ours.
import type { PendingQuery, TransactionSql } from "postgres";
import { PgTransactionAbortedError } from "../errors.ts";
import type { PgRow } from "../state-provider.ts";

export interface PostgresJsTransaction {
  /** Commits, unless that has been done. */
  commit(): Promise<void>;
  /** Sends a last statement and commits with it. */
  sendAndCommit(last: PendingQuery<PgRow[]>): Promise<readonly PgRow[]>;
}

/** The driver's query, as far as it is used here. Without these fields nothing is sent early. */
interface QueryState {
  /** The one that the connection waits for: sent, and neither answered nor refused. */
  readonly active?: unknown;
  /** Sent as a whole: a query that must be described first is sent in two halves, and the second may fail here. */
  readonly prepared?: unknown;
}

export const openTransaction = (tx: TransactionSql): PostgresJsTransaction => {
  let state: "open" | "over" | "committed" = "open";

  const commit = async (): Promise<void> => {
    if (state === "committed") return;
    // Later statements must not be stored.
    if (state === "over") throw new PgTransactionAbortedError();
    state = "over";
    const { command } = await tx.unsafe("COMMIT AND CHAIN").execute();
    if (command === "ROLLBACK") throw new PgTransactionAbortedError();
    state = "committed";
  };

  // COMMIT goes behind a statement that is on its way, without waiting for its answer. If that fails, the server answers COMMIT
  // with ROLLBACK. It may still be done: the driver repeats a statement whose plan is out of date, and that comes behind
  // the COMMIT. There it is in the transaction that AND CHAIN has begun, which an error rolls back. After a plain COMMIT
  // it would be stored by itself.
  const sendAndCommit = async (last: PendingQuery<PgRow[]>): Promise<readonly PgRow[]> => {
    last.execute();
    // The driver sends it in the next microtask, which comes before this one's end.
    await Promise.resolve();
    const { active, prepared } = last as QueryState;
    const isUnderWay = active === true && prepared === true;
    const [answer, committed] = await Promise.allSettled(isUnderWay ? [last, commit()] : [last]);
    if (answer.status === "rejected") {
      // The driver may have refused it by itself, and the server knows nothing of it.
      if (state === "open") state = "over";
      // Of two errors this one says why.
      throw answer.reason;
    }
    if (committed === undefined) await commit();
    else if (committed.status === "rejected") throw committed.reason;
    return answer.value;
  };
  return { commit, sendAndCommit };
};
