import type {
  SqliteConnection,
  SqliteRunResult,
  SqliteStatement,
  SqliteValue,
} from "./connection.ts";

/** One connection in the form that steps use: statements by their text, prepared once, and the clock of the store. */
export interface Session {
  /** Milliseconds since 1970 by SQLite's clock, at this moment. */
  now(): number;
  /** For a loop: the statement itself, without a search by its text for each run. */
  prepare(sql: string): SqliteStatement;
  run(sql: string, ...parameters: readonly SqliteValue[]): SqliteRunResult;
  all<TRow extends readonly unknown[]>(
    sql: string,
    ...parameters: readonly SqliteValue[]
  ): readonly TRow[];
  get<TRow extends readonly unknown[]>(
    sql: string,
    ...parameters: readonly SqliteValue[]
  ): TRow | undefined;
}

const nowSql = "SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";

const sessions = new WeakMap<SqliteConnection, Session>();

export const sessionOf = (connection: SqliteConnection): Session => {
  let session = sessions.get(connection);
  if (session === undefined) {
    session = createSession(connection);
    sessions.set(connection, session);
  }
  return session;
};

// The author of a statement declares the type of its rows. The tables are STRICT, and a test runs every statement.
const createSession = (connection: SqliteConnection): Session => ({
  prepare: (sql) => connection.prepare(sql),
  now: () => Number(connection.prepare(nowSql).get()?.[0]),
  run: (sql, ...parameters) => connection.prepare(sql).run(...parameters),
  all: <TRow extends readonly unknown[]>(sql: string, ...parameters: readonly SqliteValue[]) =>
    connection.prepare(sql).all(...parameters) as unknown as readonly TRow[],
  get: <TRow extends readonly unknown[]>(sql: string, ...parameters: readonly SqliteValue[]) =>
    connection.prepare(sql).get(...parameters) as unknown as TRow | undefined,
});
