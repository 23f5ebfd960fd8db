// The writing connection: one transaction at a time, in the order of the calls.
import type { SqliteConnection } from "../connection.ts";
import { SqliteBusyError, SqliteClosedError, SqliteTransactionEndedError } from "../errors.ts";
import { endLongTurn } from "../event-loop-turn.ts";
import { toFileError } from "../named-errors.ts";
import { createWriterGate, whenNotBusy } from "./writer-gate.ts";

export interface Writer {
  /** Runs the body between `BEGIN IMMEDIATE` and `COMMIT`. If the body throws, `ROLLBACK` ends it. */
  transact<T>(body: () => T | Promise<T>): Promise<T>;
  isClosed(): boolean;
  /** Waits for earlier calls, and refuses later ones. */
  close(closeConnections: () => void): Promise<void>;
}

export const createWriter = (
  filename: string,
  connection: SqliteConnection,
  busyTimeoutMs: number,
): Writer => {
  const gate = createWriterGate(busyTimeoutMs);
  const { begin, commit, rollback } = createTransactionBounds(filename, connection, busyTimeoutMs);
  let closed = false;

  const enter = (): (() => void) | Promise<() => void> => {
    if (closed) throw new SqliteClosedError();
    const long = endLongTurn();
    return (long === null ? gate.tryEnter() : null) ?? enterLater(long);
  };

  const enterLater = async (long: Promise<void> | null): Promise<() => void> => {
    if (long !== null) await long;
    const release = gate.tryEnter() ?? (await gate.enter());
    if (!closed) return release;
    release();
    throw new SqliteClosedError();
  };

  return {
    transact: async (body) => {
      const entered = enter();
      const release = entered instanceof Promise ? await entered : entered;
      let isBegun = false;
      try {
        const begun = begin();
        if (begun instanceof Promise) await begun;
        isBegun = true;
        const result = body();
        const value = result instanceof Promise ? await result : result;
        const committed = commit();
        if (committed instanceof Promise) await committed;
        return value;
      } catch (error) {
        // A transaction that this call has not begun belongs to the user.
        if (isBegun) rollback();
        throw error;
      } finally {
        release();
      }
    },
    isClosed: () => closed,
    close: async (closeConnections) => {
      if (closed) return;
      const release = gate.tryEnter() ?? (await gate.enter());
      closed = true;
      closeConnections();
      release();
    },
  };
};

/** The statements around a transaction. They return a promise only if they have to wait: each promise saved is measurable. */
interface TransactionBounds {
  begin(): void | Promise<void>;
  commit(): void | Promise<void>;
  rollback(): void;
}

const createTransactionBounds = (
  filename: string,
  connection: SqliteConnection,
  busyTimeoutMs: number,
): TransactionBounds => {
  const beginNow = (): void => {
    try {
      connection.prepare("BEGIN IMMEDIATE").run();
    } catch (error) {
      // The connection is the user's, and has a transaction of theirs: only they can end it, so it is waited for.
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
      // The callback has ended the transaction by itself. Later statements were not part of it.
      if (!connection.inTransaction) throw new SqliteTransactionEndedError();
      return whenNotBusy(commitNow, busyTimeoutMs);
    },
    rollback: () => {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (connection.inTransaction) connection.prepare("ROLLBACK").run();
    },
  };
};
