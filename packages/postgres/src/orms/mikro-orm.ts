// `@queuert/postgres/mikro-orm`: jobs in the transactions of MikroORM 7, which has Kysely inside.
import type { EntityManager, IsolationLevel, MikroORM } from "@mikro-orm/postgresql";
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { createOrmProvider, type PgOrmProviderOptions } from "./orm-provider.ts";

export type { PgOrmProviderOptions } from "./orm-provider.ts";

/** Spread it into calls inside `em.transactional(async (em) => …)`, as `{ em }`. */
export interface MikroOrmContext {
  /** In a transaction, or not. */
  readonly em: EntityManager;
}

/**
 * The state provider for MikroORM 7. Each transaction gets a fork of its own, so entities of one job are no entities of another.
 *
 * @example
 * ```ts
 * const properties = { email: { type: "text", primary: true } } as const;
 * const User = new EntitySchema<{ email: string }>({ name: "User", properties });
 * const orm = await MikroORM.init({ clientUrl: "postgres://localhost/app", entities: [User] });
 * const stateProvider = createMikroOrmStateProvider(orm, { connectionsMax: 10 });
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createMikroOrmStateProvider = (
  orm: Pick<MikroORM, "em">,
  { connectionsMax }: PgOrmProviderOptions = {},
): PgStateProvider<MikroOrmContext, MikroOrmContext> => {
  const em = (orm as Partial<typeof orm> | undefined)?.em;
  if (em === undefined || !isEntityManager(em))
    throw new PgInvalidOptionError("orm", "the `MikroORM` of `@mikro-orm/postgresql` 7");
  const isolationLevel = "read committed" as IsolationLevel.READ_COMMITTED;
  return createOrmProvider<"em", EntityManager, EntityManager>({
    key: "em",
    database: em.fork(),
    connectionsMax,
    transaction: (callback) => em.fork().transactional(callback, { isolationLevel }),
    send: async (on, statement) => {
      // Not `getKysely()`, which uses the connection for reading outside a transaction.
      const kysely: Kysely =
        on.getTransactionContext<never>() ?? on.getConnection("write").getClient();
      const { rows } = await kysely.withoutPlugins().executeQuery(toQuery(statement));
      return rows;
    },
    isTransaction: (on): on is EntityManager =>
      isEntityManager(on) && on.getTransactionContext() !== undefined,
    isEndedError: ({ message }) => endedMessage.test(message),
  });
};

/** The Kysely of MikroORM, as far as it is used here. It may be another version than that of the application. */
interface Kysely {
  withoutPlugins(): { executeQuery(query: object): Promise<{ readonly rows: readonly PgRow[] }> };
}

/** A compiled query of Kysely: the application may have no Kysely of its own that could make one. */
const toQuery = ({ sql, params }: PgStatement): object => ({
  sql,
  parameters: params,
  query: { kind: "RawNode", sqlFragments: [sql], parameters: [] },
  queryId: { queryId: "queuert" },
});

const isEntityManager = (on: unknown): on is EntityManager =>
  hasMethods(on, ["fork", "transactional", "getTransactionContext", "getKysely"]);

// Kysely has no class and no code for these errors.
const endedMessage = /^Transaction is already (committed|rolled back|aborted)$/;
