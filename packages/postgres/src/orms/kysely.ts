// `@queuert/postgres/kysely`: jobs in the transactions of Kysely, over any of its dialects for PostgreSQL.
import { CompiledQuery, type Kysely, type QueryResult, type Transaction } from "kysely";
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { createFirstConnectionWatch } from "./first-connection.ts";
import { createOrmProvider, type PgOrmProviderOptions } from "./orm-provider.ts";

export type { PgOrmProviderOptions } from "./orm-provider.ts";

/** Spread it into calls inside `db.transaction().execute(async (trx) => …)`, as `{ db: trx }`. */
export interface KyselyTxContext<TTables> {
  readonly db: Transaction<TTables>;
}

/** A transaction, or the database. */
export interface KyselyContext<TTables> {
  readonly db: Kysely<TTables>;
}

/**
 * The state provider for Kysely. Plugins do not apply to its statements.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ max: 10 });
 * const db = new Kysely<{ users: { email: string } }>({ dialect: new PostgresDialect({ pool }) });
 * const stateProvider = createKyselyStateProvider(db, { connectionsMax: 10 });
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createKyselyStateProvider = <TTables>(
  db: Kysely<TTables>,
  { connectionsMax }: PgOrmProviderOptions = {},
): PgStateProvider<KyselyTxContext<TTables>, KyselyContext<TTables>> => {
  if (!isKysely(db) || db.isTransaction)
    throw new PgInvalidOptionError("db", "a `Kysely`, not a transaction of it");
  const withConnection = createFirstConnectionWatch();
  return createOrmProvider<"db", Kysely<TTables>, Transaction<TTables>>({
    key: "db",
    database: db,
    connectionsMax,
    transaction: (callback) =>
      withConnection((take) =>
        db
          .transaction()
          .setIsolationLevel("read committed")
          .execute((trx) => {
            take();
            return callback(trx);
          }),
      ),
    // Kysely throws at once for a transaction that has ended: `async` makes it a rejection.
    send: async (on, { sql, params }) => {
      const query = CompiledQuery.raw(sql, [...params]);
      // Plugins may rename columns, such as `CamelCasePlugin`.
      const plain = on.withoutPlugins();
      if (on.isTransaction) return rowsOf(plain.executeQuery<PgRow>(query));
      return withConnection((take) =>
        plain.connection().execute((connection) => {
          take();
          return rowsOf(connection.executeQuery<PgRow>(query));
        }),
      );
    },
    isTransaction: (on): on is Transaction<TTables> => isKysely(on) && on.isTransaction,
    isEndedError: ({ message }) => endedMessage.test(message),
  });
};

const rowsOf = async (result: Promise<QueryResult<PgRow>>): Promise<readonly PgRow[]> =>
  (await result).rows;

const isKysely = (on: unknown): on is Kysely<unknown> =>
  hasMethods(on, ["executeQuery", "transaction"]);

// Kysely has no class and no code for these errors.
const endedMessage = /^Transaction is already (committed|rolled back|aborted)$/;
