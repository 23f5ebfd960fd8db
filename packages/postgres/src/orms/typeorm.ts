// `@queuert/postgres/typeorm`: jobs in the transactions of TypeORM.
import { hasMethods } from "queuert/internal";
import type { DataSource, EntityManager } from "typeorm";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { createOrmProvider, type PgOrmProviderOptions } from "./orm-provider.ts";

export type { PgOrmProviderOptions } from "./orm-provider.ts";

/** Spread it into calls inside `dataSource.transaction(async (manager) => …)`, as `{ manager }`. */
export interface TypeOrmContext {
  /** Of a transaction, or of the data source. */
  readonly manager: EntityManager;
}

/**
 * The state provider for TypeORM, with an initialized data source of the type `postgres`.
 *
 * @example
 * ```ts
 * const dataSource = new DataSource({ type: "postgres", url: "postgres://localhost/app" });
 * await dataSource.initialize();
 * const stateProvider = createTypeOrmStateProvider(dataSource, { connectionsMax: 10 });
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createTypeOrmStateProvider = (
  dataSource: DataSource,
  { connectionsMax }: PgOrmProviderOptions = {},
): PgStateProvider<TypeOrmContext, TypeOrmContext> => {
  if (!hasMethods(dataSource, ["createQueryRunner", "transaction"]))
    throw new PgInvalidOptionError("dataSource", "a `DataSource` of TypeORM");
  return createOrmProvider<"manager", EntityManager, EntityManager>({
    key: "manager",
    database: dataSource.manager,
    connectionsMax,
    transaction: (callback) => dataSource.transaction("READ COMMITTED", callback),
    send: async ({ queryRunner }, { sql, params }) => {
      const runner = queryRunner ?? dataSource.createQueryRunner();
      try {
        // With a structured result: without it an UPDATE returns another shape than a SELECT.
        const { records } = await runner.query(sql, [...params], true);
        return records as readonly PgRow[];
      } finally {
        if (runner !== queryRunner) await runner.release();
      }
    },
    isTransaction: (on): on is EntityManager =>
      hasMethods((on as Partial<EntityManager> | null | undefined)?.queryRunner, [
        "query",
        "release",
      ]),
    isEndedError: ({ name }) => name === "QueryRunnerAlreadyReleasedError",
  });
};
