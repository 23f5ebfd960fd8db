// `@queuert/sqlite/drizzle`: each transaction of Queuert has a Drizzle on its connection. Drizzle's own transactions in SQLite are
// synchronous: their callback cannot wait for a call of Queuert.
import { assertMethods, InvalidOptionError } from "queuert/internal";
import { SqliteTransactionEndedError } from "../errors.ts";
import type { SqliteContext, SqliteFileProvider } from "../providers/file-provider.ts";
import type { SqliteStateProvider } from "../state-provider.ts";

/** Spread it into calls. It is given by `queuert.transaction(async ({ db }) => …)` and by `complete`. */
export interface DrizzleContext<TDatabase> {
  /** A Drizzle on the connection of the transaction, usable until the transaction ends. */
  readonly db: TDatabase;
}

/** A provider with Drizzle in its contexts. */
export type DrizzleStateProvider<TDatabase> = Pick<SqliteFileProvider<never>, "close"> &
  Required<SqliteStateProvider<DrizzleContext<TDatabase>>>;

/**
 * The state provider for Drizzle, over the provider of its driver: `createDrizzleStateProvider(provider, (client) =>
 * drizzle(client, { schema }))`.
 *
 * @example
 * ```ts
 * const provider = await createBetterSqlite3Provider({ filename: "app.db" });
 * const stateProvider = createDrizzleStateProvider(provider, (client) => drizzle(client));
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createDrizzleStateProvider = <TClient extends object, TDatabase extends object>(
  provider: SqliteFileProvider<TClient>,
  toDrizzle: (client: TClient) => TDatabase,
): DrizzleStateProvider<TDatabase> => {
  const remedy = "give a provider, such as `createBetterSqlite3Provider` makes";
  assertMethods(provider, "provider", ["runInTransaction", "connectionOf"], remedy);
  if (typeof toDrizzle !== "function")
    throw new InvalidOptionError("toDrizzle", toDrizzle, "give `(client) => drizzle(client)`");

  const inner = new WeakMap<object, SqliteContext<TClient>>();
  const readers = new WeakMap<TClient, TDatabase>();
  const toContext = (context: SqliteContext<TClient>, db: TDatabase): DrizzleContext<TDatabase> => {
    inner.set(db, context);
    return { db };
  };
  /** The context of the driver's provider; undefined for a Drizzle of another origin, and for any other value. */
  const innerOf = (db: unknown): SqliteContext<TClient> | undefined =>
    typeof db === "object" && db !== null ? inner.get(db) : undefined;

  return {
    contextKeys: ["db"],
    runInTransaction: (callback) =>
      provider.runInTransaction((context) =>
        callback(toContext(context, toDrizzle(context.client))),
      ),
    provideContext: (callback) =>
      provider.provideContext((context) => {
        const known = readers.get(context.client);
        const db = known ?? toDrizzle(context.client);
        if (known === undefined) readers.set(context.client, db);
        return callback(toContext(context, db));
      }),
    isInTransaction: ({ db }) => {
      const context = innerOf(db);
      return context !== undefined && provider.isInTransaction(context);
    },
    connectionOf: ({ db }) => {
      const context = innerOf(db);
      // A Drizzle of the user writes on a connection that Queuert does not know.
      if (context === undefined) throw new SqliteTransactionEndedError();
      return provider.connectionOf(context);
    },
    write: (step) => provider.write(step),
    read: (step) => provider.read(step),
    close: () => provider.close(),
  };
};
