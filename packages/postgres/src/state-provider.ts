import type { BaseStateAdapterContext, StateAdapterCapabilities } from "queuert/internal";

/** One statement. Parameters are text or null, which the statement casts to the types that it needs. */
export interface PgStatement {
  /** Without parameters it may be the text of a function, in which `$1` has another meaning. */
  readonly sql: string;
  readonly params: readonly (string | null)[];
  /** Always of this text: a provider that prepares statements by name may use it. Left out for a statement that runs once. */
  readonly name?: string | undefined;
  /** It writes, or locks. With a context it must run in that context's transaction. */
  readonly isWrite?: boolean | undefined;
}

/** A row by column name. Numbers may arrive as text: the adapter converts the values. */
export type PgRow = Readonly<Record<string, unknown>>;

/**
 * The part of a PostgreSQL client that the adapter needs. Ready-made for `pg`, `postgres` and PGlite; implement it to run
 * jobs in the transactions of an ORM.
 */
export interface PgStateProvider<
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
> {
  /**
   * Runs the callback once in a new transaction: commits when it resolves, rolls back when it rejects.
   * - Rejects when the server answered COMMIT with a rollback.
   * - Workers rely on READ COMMITTED here; name it, since a database's default may be another.
   */
  runInTransaction<T>(callback: (context: TTxContext) => Promise<T>): Promise<T>;
  /** Runs the callback with a context outside any transaction. */
  provideContext<T>(callback: (context: TContext) => Promise<T>): Promise<T>;
  /** Whether statements with this context run in an open transaction. */
  isInTransaction(context: TTxContext | TContext): Promise<boolean>;
  /**
   * Runs one statement: with a context there, without one by itself on any connection.
   * - A statement with `isWrite` whose context's transaction has ended meanwhile: rejects with `StateNotInTransactionError`.
   *   It would be stored by itself, although the user has rolled back.
   */
  executeSql(
    statement: PgStatement,
    context: TTxContext | TContext | undefined,
  ): Promise<readonly PgRow[]>;
  /**
   * Runs the last statement of a transaction that `runInTransaction` has opened, and commits with it, in one round trip.
   * - The statement fails: rejects with its error, and nothing has been or will be committed.
   * - `runInTransaction` then commits no more. Left out: workers send the statement and leave the commit to that.
   * - A transaction of another origin: returns null, and has done nothing.
   */
  executeSqlAndCommit?(
    statement: PgStatement,
    context: TTxContext,
  ): Promise<readonly PgRow[] | null>;
  /**
   * The names of all keys that its contexts can have, such as `["client"]`. Left out: they are learned from the first
   * transaction, and until then any object in a call is taken for a context.
   */
  readonly contextKeys?: readonly string[] | undefined;
  /** How many connections it may hold at once; left out: unknown. */
  readonly connectionsMax?: number | undefined;
  /** Where it differs from a server with a pool of connections. */
  readonly capabilities?: Partial<StateAdapterCapabilities> | undefined;
}
