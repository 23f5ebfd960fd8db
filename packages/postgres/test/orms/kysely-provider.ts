// A state provider for Kysely: jobs are started in Kysely's own transactions. Copy it into your application.
import type { PgRow, PgStateProvider } from "@queuert/postgres";
import { CompiledQuery, type Kysely, type Transaction } from "kysely";

/** Spread it into calls inside `db.transaction().execute(async (trx) => …)`, as `{ db: trx }`. */
export interface KyselyTxContext<TTables> {
  readonly db: Transaction<TTables>;
}

export interface KyselyContext<TTables> {
  readonly db: Kysely<TTables>;
}

export const createKyselyStateProvider = <TTables>(
  db: Kysely<TTables>,
): PgStateProvider<KyselyTxContext<TTables>, KyselyContext<TTables>> => ({
  runInTransaction: (callback) =>
    db
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (trx) => {
        const result = await callback({ db: trx });
        // In a transaction in which a statement has failed this fails too; COMMIT would roll back without a word.
        await trx.executeQuery(CompiledQuery.raw("SELECT 1"));
        return result;
      }),
  provideContext: (callback) => callback({ db }),
  isInTransaction: async (context) => context.db.isTransaction,
  executeSql: async ({ sql, params }, context) => {
    const query = CompiledQuery.raw(sql, [...params]);
    // Plugins may rename columns, such as `CamelCasePlugin`.
    const { rows } = await (context?.db ?? db).withoutPlugins().executeQuery<PgRow>(query);
    return [...rows];
  },
});
