// A read with a limit: the server ends the statement, so that no connection is busy with an answer that nothing waits for. The limit
// is a setting of a transaction, which is read-only besides.
import { type BaseStateAdapterContext, StatementTimeoutError } from "queuert/internal";
import { codeOf } from "./named-errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "./state-provider.ts";

const limitSql =
  "SELECT pg_catalog.set_config('statement_timeout', $1::pg_catalog.text, true), " +
  "pg_catalog.set_config('transaction_read_only', 'on', true)";

export const runLimited = async <TTxContext extends BaseStateAdapterContext>(
  provider: Pick<PgStateProvider<TTxContext, never>, "runInTransaction" | "executeSql">,
  statement: PgStatement,
  timeoutMs: number,
): Promise<readonly PgRow[]> => {
  let sentAt = 0;
  try {
    return await provider.runInTransaction(async (context) => {
      const params = [String(Math.ceil(timeoutMs))];
      await provider.executeSql({ sql: limitSql, params }, context);
      sentAt = performance.now();
      return provider.executeSql({ ...statement, isWrite: false }, context);
    });
  } catch (error) {
    // The same code says that an administrator has ended it.
    const isOver = sentAt > 0 && performance.now() - sentAt >= timeoutMs * 0.9;
    if (!isOver || !(error instanceof Error) || codeOf(error) !== queryCanceled) throw error;
    throw new StatementTimeoutError(timeoutMs, { cause: error });
  }
};

const queryCanceled = "57014";
