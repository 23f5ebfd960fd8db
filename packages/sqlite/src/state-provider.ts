import type { SqliteConnection } from "./connection.ts";

/**
 * How the state adapter reaches a SQLite file. `@queuert/sqlite/better-sqlite3` and `@queuert/sqlite/node-sqlite` are
 * ready-made; write your own to run Queuert on connections that you or your ORM open.
 */
export interface SqliteStateProvider<
  TTxContext extends object = object,
  TContext extends object = TTxContext,
> {
  /**
   * Runs the callback once between `BEGIN IMMEDIATE` and `COMMIT`, or `ROLLBACK` when it rejects.
   * - No other statement may run on this connection meanwhile: guard it with `createAsyncLock`.
   * - Immediate, because a deferred transaction cannot write after another process has written.
   */
  runInTransaction<T>(callback: (context: TTxContext) => Promise<T>): Promise<T>;

  /** Runs the callback with a context outside any transaction. */
  provideContext<T>(callback: (context: TContext) => Promise<T>): Promise<T>;

  /**
   * Whether the context belongs to a transaction that is still open. It is false for the context of an earlier transaction,
   * even if another one is open on the same connection. Give each transaction a value of its own.
   */
  isInTransaction(context: TTxContext | TContext): boolean;

  /**
   * The connection of this context: always the same object for the same connection. Throws if the transaction of the
   * context has ended.
   */
  connectionOf(context: TTxContext | TContext): SqliteConnection;

  /**
   * Runs a synchronous step in a write transaction of its own. Left out: `runInTransaction` does it.
   * - Rolled back when the step throws.
   */
  write?<T>(step: (connection: SqliteConnection) => T): Promise<T>;

  /**
   * Runs a synchronous step that reads the committed state. Left out: `provideContext` does it.
   * - It must not wait for an open transaction of this process, and must not see its uncommitted writes.
   */
  read?<T>(step: (connection: SqliteConnection) => T): Promise<T>;

  /**
   * The names of all keys that its contexts can have, such as `["client"]`. Left out: they are learned from the first
   * transaction, and until then any object in a call is taken for a context.
   */
  readonly contextKeys?: readonly string[] | undefined;
}
