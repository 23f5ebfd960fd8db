// `Bun.SQL`, which only Bun has. Elsewhere there is no client to open.
import { createBunSqlStateProvider } from "../../../src/orms/bun.ts";
import type { OpenOrm } from "../orm-client.ts";

interface Transaction {
  unsafe(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  savepoint<T>(callback: (sql: Transaction) => Promise<T>): Promise<T>;
}

interface Client extends Omit<Transaction, "savepoint"> {
  readonly options: { readonly max?: number };
  begin<T>(options: string, callback: (tx: Transaction) => Promise<T>): Promise<T>;
  close(options?: { readonly timeout: number }): Promise<void>;
}

type Constructor = new (
  url: string,
  options: { readonly max: number; readonly connectionTimeout?: number },
) => Client;

/** The class of the running Bun; undefined in other runtimes. */
const BunSql = (globalThis as { readonly Bun?: { readonly SQL: Constructor } }).Bun?.SQL;

const openWith =
  (Sql: Constructor): OpenOrm =>
  async (url, { connectionsMax }) => {
    const sql = new Sql(url, { max: connectionsMax });
    return {
      stateProvider: createBunSqlStateProvider(sql),
      transaction: (callback) =>
        sql.begin("isolation level read committed", (tx) => callback({ sql: tx })),
      insert: (context, key) =>
        (context as { sql: Transaction }).sql.unsafe("INSERT INTO done VALUES ($1)", [key]),
      close: () => sql.close({ timeout: 5 }),
    };
  };

export const openBunSql: OpenOrm | undefined = BunSql && openWith(BunSql);
