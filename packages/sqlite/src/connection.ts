// The seam to a driver: one connection, used synchronously. Every provider hands these out; no driver's own type
// goes further than its provider's file.

/** What a column can hold and a parameter can be. */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/** What a statement did that returns no rows. */
export interface SqliteRunResult {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

export interface SqliteStatement {
  run(...parameters: readonly SqliteValue[]): SqliteRunResult;
  /** All rows, each an array of its columns' values. */
  all(...parameters: readonly SqliteValue[]): readonly (readonly SqliteValue[])[];
  /** The first row, or undefined for none. */
  get(...parameters: readonly SqliteValue[]): readonly SqliteValue[] | undefined;
}

export interface SqliteConnection {
  /** Prepares a statement once and answers the same one for the same text from then on. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that take no parameters. */
  exec(sql: string): void;
  readonly inTransaction: boolean;
}
