// A connection of a driver in this process, as providers of files use it.
import type { SqliteConnection, SqliteStatement } from "../connection.ts";
import type { DriverConnection } from "./file-provider.ts";

interface DriverClient {
  exec(sql: string): unknown;
  close(): unknown;
}

interface DriverParts {
  /** Whether Queuert opened the connection, and so closes it. */
  readonly owned: boolean;
  readonly prepare: (sql: string) => SqliteStatement;
  readonly isInTransaction: () => boolean;
}

/** The same over each driver. A text is prepared once. */
export const createDriverConnection = <TClient extends DriverClient>(
  client: TClient,
  { owned, prepare, isInTransaction }: DriverParts,
): DriverConnection<TClient> => {
  const statements = new Map<string, SqliteStatement>();
  const connection: SqliteConnection = {
    prepare: (sql) => {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    exec: (sql) => {
      client.exec(sql);
    },
    get inTransaction() {
      return isInTransaction();
    },
  };
  return {
    client,
    connection,
    close: () => {
      if (owned) client.close();
    },
  };
};
