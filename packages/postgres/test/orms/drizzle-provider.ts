// A state provider for Drizzle over `pg`: jobs are started in Drizzle's own transactions. Copy it into your application.
import type { PgRow, PgStateProvider } from "@queuert/postgres";
import { type SQL, sql as drizzleSql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";

type Transaction = Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0];

/** Spread it into calls inside `db.transaction(async (tx) => …)`, as `{ db: tx }`. */
export interface DrizzleTxContext {
  readonly db: Transaction;
}

export interface DrizzleContext {
  readonly db: Transaction | NodePgDatabase;
}

export const createDrizzleStateProvider = (
  db: NodePgDatabase,
): PgStateProvider<DrizzleTxContext, DrizzleContext> => ({
  runInTransaction: (callback) =>
    db.transaction(
      async (tx) => {
        const result = await callback({ db: tx });
        // In a transaction in which a statement has failed this fails too; COMMIT would roll back without a word.
        await tx.execute("SELECT 1");
        return result;
      },
      { isolationLevel: "read committed" },
    ),
  provideContext: (callback) => callback({ db }),
  isInTransaction: async (context) => "rollback" in context.db,
  executeSql: async ({ sql, params }, context) => {
    const { rows } = await (context?.db ?? db).execute<PgRow>(withParams(sql, params));
    return rows;
  },
});

/** Drizzle numbers parameters itself, so each `$2` becomes a parameter of its own. */
const withParams = (sql: string, params: readonly (string | null)[]): SQL =>
  // The text of a function, which has no parameters, contains `$2` as text.
  params.length === 0
    ? drizzleSql.raw(sql)
    : drizzleSql.join(
        sql.split(/\$(\d+)/).map((part, index) =>
          // Every other part is the number that the pattern has matched.
          index % 2 === 0 ? drizzleSql.raw(part) : drizzleSql`${params[Number(part) - 1] ?? null}`,
        ),
      );
