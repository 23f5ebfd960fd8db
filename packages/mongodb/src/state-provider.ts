import type { MongoDatabase, MongoSession } from "./driver.ts";

/**
 * How the state adapter reaches MongoDB. `@queuert/mongodb/mongodb` is ready-made for the official driver; write your
 * own to run Queuert on the connection that your ODM opened.
 */
export interface MongoStateProvider<
  TTxContext extends object = object,
  TContext extends object = TTxContext,
> {
  /** The native database that holds the collections. */
  readonly database: MongoDatabase;

  /**
   * Runs the callback once in a transaction: commits when it resolves, aborts when it rejects.
   * - Never twice: not by the driver's `withTransaction`. `runMongoTransaction` does it as it has to be done.
   * - Read concern "snapshot", write concern "majority".
   */
  runInTransaction<T>(callback: (context: TTxContext) => Promise<T>): Promise<T>;

  /** Runs the callback with a context outside any transaction. */
  provideContext<T>(callback: (context: TContext) => Promise<T>): Promise<T>;

  /** The session of a context; undefined for one outside transactions. */
  sessionOf(context: TTxContext | TContext): MongoSession | undefined;

  /**
   * The names of all keys that its contexts can have, such as `["client"]`. Left out: they are learned from the first
   * transaction, and until then any object in a call is taken for a context.
   */
  readonly contextKeys?: readonly string[] | undefined;
}
