// The statements around a transaction on the writing connection. Each answers a promise only if somebody is in the way: a
// promise less for each is worth having.
import type { SqliteConnection } from "../connection.ts";
import { isReadonly } from "../driver-errors.ts";
import { SqliteNotWritableError, SqliteTransactionEndedError } from "../errors.ts";
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
      throw isReadonly(error) ? new SqliteNotWritableError(filename, { cause: error }) : error;
    }
  };
  const commitNow = (): void => {
    connection.prepare("COMMIT").run();
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
