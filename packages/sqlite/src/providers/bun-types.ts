// The shape of the used parts of `bun:sqlite`. The types of Bun would be types of all code beside it. A real `Database` has
// this shape.
import type { SqliteRunResult, SqliteValue } from "../connection.ts";

/** A statement of `bun:sqlite`, as far as it is used here. */
export interface BunSqliteStatement {
  run(...parameters: SqliteValue[]): SqliteRunResult;
  /** Rows as arrays. */
  values(...parameters: SqliteValue[]): unknown[][];
  readonly columnNames: readonly string[];
}

/** A `Database` of `bun:sqlite`, as far as it is used here. */
export interface BunSqliteDatabase {
  prepare(sql: string): BunSqliteStatement;
  exec(sql: string): unknown;
  close(): void;
  readonly filename: string;
  readonly inTransaction: boolean;
}

/** The class `Database`. */
export type BunSqliteConstructor<TClient extends BunSqliteDatabase> = new (
  filename: string,
  options?: {
    readonly readonly?: boolean;
    readonly create?: boolean;
    readonly readwrite?: boolean;
  },
) => TClient;

/** The constructor of the running Bun. */
export const loadBunSqlite = async (): Promise<BunSqliteConstructor<BunSqliteDatabase>> => {
  // A variable, because the compiler would search for types, and bundlers for a package.
  const name = "bun:sqlite";
  const loaded = (await import(name)) as {
    readonly Database: BunSqliteConstructor<BunSqliteDatabase>;
  };
  return loaded.Database;
};
