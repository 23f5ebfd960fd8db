// The statements around a transaction on the writing connection. Each answers a promise only if somebody is in the way: a
// promise less for each is worth having.
import type { SqliteConnection } from "../connection.ts";
import { SqliteBusyError, SqliteTransactionEndedError } from "../errors.ts";
import { toFileError } from "../named-errors.ts";
import { whenNotBusy } from "./writer-gate.ts";

export interface TransactionBounds {
  begin(): void | Promise<void>;
  commit(): void | Promise<void>;
  rollback(): void;
}

export const createTransactionBounds = (
  filename: string,
  connection: SqliteConnection,
  busyTimeoutMs: number,
): TransactionBounds => {
  const beginNow = (): void => {
    try {
      connection.prepare("BEGIN IMMEDIATE").run();
    } catch (error) {
      // On a connection of the user's, a transaction of theirs: it is theirs to end, and is waited for.
      if (connection.inTransaction) {
        throw new SqliteBusyError("your_transaction", busyTimeoutMs, { cause: error });
      }
      throw toFileError(error, filename);
    }
  };
  const commitNow = (): void => {
    try {
      connection.prepare("COMMIT").run();
    } catch (error) {
      throw toFileError(error, filename);
    }
  };

  return {
    begin: () => whenNotBusy(beginNow, busyTimeoutMs),
    commit: () => {
      // Ended behind our back: what came after it was not part of it, and nobody can say what was stored.
      if (!connection.inTransaction) throw new SqliteTransactionEndedError();
      return whenNotBusy(commitNow, busyTimeoutMs);
    },
    rollback: () => {
      // SQLite itself rolls back after some errors, such as a full disk.
      if (connection.inTransaction) connection.prepare("ROLLBACK").run();
    },
  };
};
