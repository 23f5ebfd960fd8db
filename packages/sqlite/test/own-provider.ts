// A provider written by hand, for an application that opens its own connections: the whole interface on one screen.
import type BetterSqlite3 from "better-sqlite3";
import {
  createAsyncLock,
  isTransientSqliteError,
  type SqliteConnection,
  type SqliteStatement,
  type SqliteStateProvider,
  type SqliteValue,
} from "../src/index.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";

interface Context {
  readonly db: BetterSqlite3.Database;
  /** Distinguishes two transactions on the same connection. */
  readonly transaction?: symbol;
}

/** Two connections: one that writes, behind a lock, and one that reads the committed state. */
export const createOwnProvider = (
  filename: string,
): SqliteStateProvider<Context, Context> & { readonly close: () => Promise<void> } => {
  const writer = new BetterSqlite3Database(filename, { timeout: 0 });
  writer.pragma("journal_mode = WAL");
  const reader = new BetterSqlite3Database(filename, { timeout: 0 });
  const lock = createAsyncLock();
  const connections = new Map([writer, reader].map((db) => [db, toConnection(db)]));
  let open: symbol | undefined;

  const beginWhenFree = async (): Promise<void> => {
    for (;;) {
      try {
        writer.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        // Another process writes; waiting here, and not in the driver, lets everything else go on.
        if (!isTransientSqliteError(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }
  };

  return {
    runInTransaction: (callback) =>
      lock.run(async () => {
        const transaction = Symbol("transaction");
        await beginWhenFree();
        open = transaction;
        try {
          const result = await callback({ db: writer, transaction });
          writer.exec("COMMIT");
          return result;
        } catch (error) {
          writer.exec("ROLLBACK");
          throw error;
        } finally {
          open = undefined;
        }
      }),
    provideContext: async (callback) => callback({ db: reader }),
    isInTransaction: ({ transaction }) => transaction !== undefined && transaction === open,
    connectionOf: ({ db, transaction }) => {
      const connection = connections.get(db);
      if (connection === undefined || (db === writer && transaction !== open)) {
        throw new Error("The transaction of this context has ended");
      }
      return connection;
    },
    close: async () => {
      reader.close();
      writer.close();
    },
  };
};

const toConnection = (db: BetterSqlite3.Database): SqliteConnection => {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare: (sql) => {
      const known = statements.get(sql) ?? toStatement(db.prepare(sql));
      statements.set(sql, known);
      return known;
    },
    exec: (sql) => void db.exec(sql),
    get inTransaction() {
      return db.inTransaction;
    },
  };
};

const toStatement = (statement: BetterSqlite3.Statement): SqliteStatement => {
  if (statement.reader) statement.raw(true);
  return {
    run: (...parameters) => statement.run(...parameters),
    // With `raw`, rows are arrays of values. The types of the driver do not declare it.
    all: (...parameters) => statement.all(...parameters) as readonly (readonly SqliteValue[])[],
    get: (...parameters) => statement.get(...parameters) as readonly SqliteValue[] | undefined,
  };
};
