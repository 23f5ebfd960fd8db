// Two connections to one file. The writer is used by one transaction or one step at a time; the reader sees what is
// committed, and never waits. Both ready-made providers are this, with a driver put in.
import type { SqliteConnection } from "../connection.ts";
import { SqliteClosedError, SqliteTransactionEndedError } from "../errors.ts";
import { endLongTurn } from "../event-loop-turn.ts";
import { toFileError } from "../named-errors.ts";
import type { SqliteStateProvider } from "../state-provider.ts";
import { lendClient } from "./transaction-client.ts";
import { createWriter } from "./writer.ts";
import { whenNotBusy } from "./writer-gate.ts";

/** The context of both ready-made providers: the driver's own connection. */
export interface SqliteContext<TClient> {
  readonly client: TClient;
}

/** A provider that opened its own connections, and closes them. */
export interface SqliteFileProvider<TClient> extends Required<
  SqliteStateProvider<SqliteContext<TClient>, SqliteContext<TClient>>
> {
  /** Waits for the transaction that is open, then closes the connections it opened. Stop workers first. */
  close(): Promise<void>;
}

/** One connection: as the driver has it, and as Queuert uses it. */
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
    isInTransaction: ({ client }) => openClients.has(client),
    connectionOf: ({ client }) => {
      if (openClients.has(client)) return writer.connection;
      if (client === reader.client) return reader.connection;
      throw new SqliteTransactionEndedError();
    },
    close: () =>
      gate.close(() => {
        reader.close();
        writer.close();
      }),
  };
};

/** Several reads of one step see the same state of the file. */
const onSnapshot = <T>(
  connection: SqliteConnection,
  step: (connection: SqliteConnection) => T,
): T => {
  // A step that fails leaves nothing open; the user may have begun a transaction of theirs to read in.
  if (connection.inTransaction) return step(connection);
  connection.prepare("BEGIN").run();
  try {
    return step(connection);
  } finally {
    if (connection.inTransaction) connection.prepare("COMMIT").run();
  }
};
