// What is used of `node:sqlite`, by shape: its own types come with @types/node 22 and newer only, and this package is
// built for Node 20, too. A real `DatabaseSync` fits.
import type { SqliteRunResult, SqliteValue } from "../connection.ts";

export interface NodeSqliteStatement {
  run(...parameters: SqliteValue[]): SqliteRunResult;
  all(...parameters: SqliteValue[]): unknown[];
  get(...parameters: SqliteValue[]): unknown;
  setReturnArrays(enabled: boolean): void;
  setReadBigInts(enabled: boolean): void;
}

export interface NodeSqliteDatabase {
  prepare(sql: string): NodeSqliteStatement;
  exec(sql: string): void;
  close(): void;
  location(): string | null;
  readonly isTransaction: boolean;
}

export interface NodeSqliteConstructor<TClient extends NodeSqliteDatabase> {
  new (
    filename: string,
    options?: { readonly readOnly?: boolean; readonly timeout?: number },
  ): TClient;
  readonly prototype: TClient;
}

/** The constructor of the running Node. */
export const loadNodeSqlite = async (): Promise<NodeSqliteConstructor<NodeSqliteDatabase>> => {
  // By a variable, for the compiler would look for types that may not be there.
  const name = "node:sqlite";
  const loaded = (await import(name)) as {
    readonly DatabaseSync: NodeSqliteConstructor<NodeSqliteDatabase>;
  };
  return loaded.DatabaseSync;
};
