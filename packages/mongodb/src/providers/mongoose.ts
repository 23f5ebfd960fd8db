// `@queuert/mongodb/mongoose`: jobs in the transactions of mongoose. mongoose has a copy of the driver, and its sessions work only
// with its own client.
import type { MongoClient } from "mongodb";
import { assertMethods, InvalidOptionError } from "queuert/internal";
import type { MongoSession, MongoStateProvider } from "../state-provider.ts";
import { createMongodbProvider } from "./mongodb.ts";
import type { RunMongoTransactionOptions } from "./run-transaction.ts";

/** A connection of mongoose, as far as it is used here: `mongoose.connection` or that of `createConnection`. */
export interface MongooseConnection<TSession> {
  /** The database of the connection. */
  readonly name: string;
  getClient(): object;
  startSession(): Promise<TSession>;
}

/** Spread it into calls inside `connection.transaction(async (session) => …)`, as `{ session }`. */
export interface MongooseTxContext<TSession> {
  readonly session: TSession;
}

/** A context outside transactions. */
export interface MongooseContext<TSession> {
  readonly session?: TSession | undefined;
}

/** The options of `createMongooseProvider`. */
export interface MongooseProviderOptions<TSession> extends RunMongoTransactionOptions {
  /** Connected. Closing it stays the caller's task. */
  readonly connection: MongooseConnection<TSession>;
  /** The database that holds the collections. Default: that of the connection. */
  readonly databaseName?: string | undefined;
}

/**
 * Runs the state adapter on a connection of mongoose 8 or 9, with the types of its sessions.
 *
 * @example
 * ```ts
 * await mongoose.connect("mongodb://localhost:27017/app?replicaSet=rs0");
 * const stateProvider = createMongooseProvider({ connection: mongoose.connection });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createMongooseProvider = <TSession extends MongoSession>({
  connection,
  databaseName,
  commitTimeoutMs,
}: MongooseProviderOptions<TSession>): MongoStateProvider<
  MongooseTxContext<TSession>,
  MongooseContext<TSession>
> => {
  const remedy = "give a connection of mongoose, such as `mongoose.connection`";
  assertMethods(connection, "connection", ["getClient", "startSession"], remedy);
  const client = connection.getClient() as MongoClient | undefined;
  if (client === undefined) {
    throw new InvalidOptionError("connection", connection, "await `mongoose.connect(…)` first");
  }
  const provider = createMongodbProvider({
    client,
    databaseName: databaseName ?? connection.name,
    commitTimeoutMs,
  });
  // The same provider. The session of mongoose's copy of the driver has a type of its own.
  return provider as unknown as MongoStateProvider<
    MongooseTxContext<TSession>,
    MongooseContext<TSession>
  >;
};
