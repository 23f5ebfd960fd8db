// Two connections to one file. The writer runs one transaction or one step at a time. The reader sees the last committed
// state, and never waits. Both ready-made providers are this one, with a driver each.
import type { SqliteConnection } from "../connection.ts";
import { SqliteClosedError, SqliteTransactionEndedError } from "../errors.ts";
import { endLongTurn } from "../event-loop-turn.ts";
import { toFileError } from "../named-errors.ts";
import type { SqliteStateProvider } from "../state-provider.ts";
import { createWriter } from "./writer.ts";
import { whenNotBusy } from "./writer-gate.ts";

/** The context of both ready-made providers: the connection of the driver. */
export interface SqliteContext<TClient> {
  readonly client: TClient;
}

/** A provider that opened its own connections, and closes them. */
export interface SqliteFileProvider<TClient> extends Required<
  SqliteStateProvider<SqliteContext<TClient>, SqliteContext<TClient>>
> {
  /** Waits for the open transaction, then closes the connections that the provider opened. Stop workers first. */
  close(): Promise<void>;
}

/** One connection, in the form of the driver and in the form that Queuert uses. */
export interface DriverConnection<TClient extends object> {
  readonly client: TClient;
  readonly connection: SqliteConnection;
  close(): void;
}

export interface FileProviderOptions<TClient extends object> {
  readonly filename: string;
  readonly writer: DriverConnection<TClient>;
  readonly reader: DriverConnection<TClient>;
  readonly busyTimeoutMs: number;
}

export const createFileProvider = <TClient extends object>(
  options: FileProviderOptions<TClient>,
): SqliteFileProvider<TClient> => {
  const { filename, writer, reader, busyTimeoutMs } = options;
  const { transact, ...gate } = createWriter(filename, writer.connection, busyTimeoutMs);
  const openClients = new WeakSet<object>();

  return {
    contextKeys: ["client"],
    runInTransaction: (callback) => {
      const { client, end } = lendClient(writer.client, () => writer.connection.inTransaction);
      return transact(async () => {
        openClients.add(client);
        try {
          return await callback({ client });
        } finally {
          openClients.delete(client);
          end();
        }
      });
    },
    write: async (step) => {
      try {
        return await transact(() => step(writer.connection));
      } catch (error) {
        throw toFileError(error, filename);
      }
    },
    read: async (step) => {
      const long = endLongTurn();
      if (long !== null) await long;
      if (gate.isClosed()) throw new SqliteClosedError();
      try {
        return await whenNotBusy(() => onSnapshot(reader.connection, step), busyTimeoutMs);
      } catch (error) {
        throw toFileError(error, filename);
      }
    },
    provideContext: async (callback) => callback({ client: reader.client }),
    isInTransaction: ({ client }) => openClients.has(client) && writer.connection.inTransaction,
    connectionOf: ({ client }) => {
      if (client === reader.client) return reader.connection;
      if (openClients.has(client) && writer.connection.inTransaction) return writer.connection;
      throw new SqliteTransactionEndedError();
    },
    close: () =>
      gate.close(() => {
        reader.close();
        writer.close();
      }),
  };
};

/**
 * Lends the writing connection for one transaction. A client that the callback keeps would otherwise join the next
 * transaction, and its writes would be rolled back with that one.
 */
const lendClient = <TClient extends object>(
  connection: TClient,
  isOpen: () => boolean,
): { readonly client: TClient; readonly end: () => void } => {
  let ended = false;
  const client = new Proxy(connection, {
    get: (target, key) => {
      if (ended) throw new SqliteTransactionEndedError();
      const value: unknown = Reflect.get(target, key, target);
      // Native methods accept no other `this` than the connection itself.
      if (typeof value !== "function") return value;
      // If SQLite or the callback has ended the transaction, a statement would be a transaction of its own.
      if (!isOpen()) throw new SqliteTransactionEndedError();
      return value.bind(target);
    },
  });
  return {
    client,
    end: () => {
      ended = true;
    },
  };
};

/** All reads of one step see the same state of the file. */
const onSnapshot = <T>(
  connection: SqliteConnection,
  step: (connection: SqliteConnection) => T,
): T => {
  // The reader may be a connection of the user, with an open transaction of theirs.
  if (connection.inTransaction) return step(connection);
  connection.prepare("BEGIN").run();
  try {
    return step(connection);
  } finally {
    if (connection.inTransaction) connection.prepare("COMMIT").run();
  }
};
