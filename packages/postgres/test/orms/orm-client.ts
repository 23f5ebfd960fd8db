import type { PgStateProvider } from "../../src/index.ts";

/** An ORM with connections of its own, as an application has it. */
export interface OrmClient {
  readonly stateProvider: PgStateProvider<object, object>;
  /** Runs the callback in a transaction that the ORM begins and ends, with the context that a user spreads into calls. */
  readonly transaction: <T>(callback: (context: object) => Promise<T>) => Promise<T>;
  /** Writes a row to the user's table with the ORM. */
  readonly insert: (context: object, key: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface OrmClientOptions {
  readonly connectionsMax: number;
  /** How long the pool waits for a connection. Left out: as the ORM does. */
  readonly acquireTimeoutMs?: number;
}

export type OpenOrm = (url: string, options: OrmClientOptions) => Promise<OrmClient>;

/** The user's table. No key and no unique index: a row that is written twice is counted twice. */
export const createDoneSql = "CREATE TABLE IF NOT EXISTS done (key text NOT NULL)";
