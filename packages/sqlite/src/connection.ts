// One connection of a driver, used synchronously. Every provider returns such connections. The types of a driver stay in
// the file of its provider.

/** The values of columns and parameters. */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/** The result of a statement without rows. */
export interface SqliteRunResult {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

/** A prepared statement. */
export interface SqliteStatement {
  run(...parameters: readonly SqliteValue[]): SqliteRunResult;
  /** All rows, each an array of its columns' values. */
  all(...parameters: readonly SqliteValue[]): readonly (readonly SqliteValue[])[];
  /** The first row, or undefined for none. */
  get(...parameters: readonly SqliteValue[]): readonly SqliteValue[] | undefined;
}

/** A connection to the file. */
export interface SqliteConnection {
  /** Prepares a statement. It returns the same statement for the same text. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that take no parameters. */
  exec(sql: string): void;
  readonly inTransaction: boolean;
  /** Runs a step within the open transaction, all or nothing. Left out: by a savepoint. */
  atomically?<T>(step: () => T): T;
}
