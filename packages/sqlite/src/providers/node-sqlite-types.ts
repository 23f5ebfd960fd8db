// The shape of the used parts of `node:sqlite`. Its types exist only in @types/node 22 and newer, and this package is also
// built for Node 20. A real `DatabaseSync` has this shape.
import type { SqliteRunResult, SqliteValue } from "../connection.ts";

/** A statement of `node:sqlite`, as far as it is used here. */
export interface NodeSqliteStatement {
  run(...parameters: SqliteValue[]): SqliteRunResult;
  all(...parameters: SqliteValue[]): unknown[];
  get(...parameters: SqliteValue[]): unknown;
  setReturnArrays(enabled: boolean): void;
  setReadBigInts(enabled: boolean): void;
}

/** A `DatabaseSync` of `node:sqlite`, as far as it is used here. */
export interface NodeSqliteDatabase {
  prepare(sql: string): NodeSqliteStatement;
  exec(sql: string): void;
  close(): void;
  location(): string | null;
  readonly isTransaction: boolean;
}

/** The class `DatabaseSync`. */
export interface NodeSqliteConstructor<TClient extends NodeSqliteDatabase> {
  new (
    filename: string,
    options?: { readonly readOnly?: boolean; readonly timeout?: number },
  ): TClient;
  readonly prototype: TClient;
}

/** The constructor of the running Node. */
export const loadNodeSqlite = async (): Promise<NodeSqliteConstructor<NodeSqliteDatabase>> => {
  // A variable, because the compiler would search for types that may not exist.
  const name = "node:sqlite";
  const loaded = (await import(name)) as {
    readonly DatabaseSync: NodeSqliteConstructor<NodeSqliteDatabase>;
  };
  return loaded.DatabaseSync;
};
