// The seam to the driver: the few methods that are called, by shape. Drivers 6 and 7 have it, and so has
// the native database that an ODM gives out. No type of the driver goes beyond its provider's file.

/** The part of a `ClientSession` that is read. Its identity puts a command into a transaction. */
export interface MongoSession {
  inTransaction(): boolean;
}

/** A cursor of the driver, as far as it is used here. */
export interface MongoCursor {
  toArray(): Promise<object[]>;
}

/** A collection of the driver, as far as it is used here. */
export interface MongoCollection {
  find(filter: object, options?: object): MongoCursor;
  aggregate(pipeline?: object[], options?: object): MongoCursor;
  insertMany(documents: readonly object[], options?: object): Promise<unknown>;
  updateMany(
    filter: object,
    update: object | object[],
    options?: object,
  ): Promise<{ modifiedCount: number }>;
  bulkWrite(operations: readonly object[], options?: object): Promise<{ modifiedCount: number }>;
  findOneAndUpdate(
    filter: object,
    update: object | object[],
    options: object,
  ): Promise<object | null>;
  deleteMany(filter: object, options?: object): Promise<{ deletedCount: number }>;
}

/** A database of the driver, as far as it is used here. */
export interface MongoDatabase {
  readonly databaseName: string;
  collection(name: string): MongoCollection;
  command(command: object, options?: object): Promise<object>;
  /** Left out: operators are not told of the state of the servers. */
  admin?(): { command(command: object): Promise<object> };
}

/**
 * How the state adapter reaches MongoDB. `@queuert/mongodb/mongodb` is ready-made for the official driver.
 * Write your own to run Queuert on the connection that your ODM opened.
 */
export interface MongoStateProvider<
  TTxContext extends object = object,
  TContext extends object = TTxContext,
> {
  /** The native database that holds the collections. */
  readonly database: MongoDatabase;

  /**
   * Runs the callback once in a transaction: commits when it resolves, aborts when it rejects.
   * - Never twice, and so not by the driver's `withTransaction`. Use `runMongoTransaction`.
   * - Read concern "snapshot", write concern "majority".
   */
  runInTransaction<T>(callback: (context: TTxContext) => Promise<T>): Promise<T>;

  /** Runs the callback with a context outside any transaction. */
  provideContext<T>(callback: (context: TContext) => Promise<T>): Promise<T>;

  /** The session of a context; undefined for one outside transactions. */
  sessionOf(context: TTxContext | TContext): MongoSession | undefined;

  /**
   * The names of all keys that its contexts can have, such as `["session"]`. Left out: the keys are learned from the
   * first transaction, and until then any object in a call is taken for a context.
   */
  readonly contextKeys?: readonly string[] | undefined;
}
