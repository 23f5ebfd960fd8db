import type { ClientSession, Db, MongoClient } from "mongodb";
import { assertMethods, assertName, assertPositiveMs } from "queuert/internal";
import type { MongoStateProvider } from "../state-provider.ts";
import { runMongoTransaction, type RunMongoTransactionOptions } from "./run-transaction.ts";

/** The context of a transaction: pass the session to every call that belongs to it. */
export interface MongoTxContext {
  readonly session: ClientSession;
}

/** A context outside transactions. */
export interface MongoContext {
  readonly session?: ClientSession | undefined;
}

/** The ready-made provider, with the client it was given. */
export interface MongodbProvider extends MongoStateProvider<MongoTxContext, MongoContext> {
  readonly database: Db;
}

/** The options of `createMongodbProvider`. */
export interface MongodbProviderOptions extends RunMongoTransactionOptions {
  /** Connected or not. Closing it stays the caller's task. */
  readonly client: MongoClient;
  /** The database that holds the collections. Default: that of the connection string. */
  readonly databaseName?: string | undefined;
}

/**
 * Runs the state adapter on a client of the official driver, version 6 or 7.
 *
 * @example
 * ```ts
 * const client = new MongoClient("mongodb://localhost:27017/?replicaSet=rs0");
 * const stateProvider = createMongodbProvider({ client, databaseName: "app" });
 * ```
 */
export const createMongodbProvider = ({
  client,
  databaseName,
  commitTimeoutMs,
}: MongodbProviderOptions): MongodbProvider => {
  assertMethods(client, "client", ["db", "startSession"], "give a `MongoClient`");
  // The driver ignores an empty name: jobs would go to the database of the connection string.
  if (databaseName !== undefined) assertName(databaseName, "databaseName");
  if (commitTimeoutMs !== undefined) assertPositiveMs(commitTimeoutMs, "commitTimeoutMs");
  return {
    contextKeys: ["session"],
    database: client.db(databaseName),
    runInTransaction: (callback) =>
      runMongoTransaction(
        () => client.startSession(),
        (session) => callback({ session }),
        { commitTimeoutMs },
      ),
    provideContext: (callback) => callback({}),
    sessionOf: ({ session }) => session,
  };
};
