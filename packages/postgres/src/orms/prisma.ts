// `@queuert/postgres/prisma`: jobs in the interactive transactions of Prisma.
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { createOrmProvider, type PgOrmProviderOptions } from "./orm-provider.ts";

/** The part of Prisma's client that runs statements. A transaction has it, too. */
export interface PrismaStatements {
  $queryRawUnsafe<T>(sql: string, ...values: unknown[]): PromiseLike<T>;
}

/** The client that Prisma generates for PostgreSQL, as far as it is used here. Generated clients share no class. */
export interface PrismaDatabase<TTransaction> extends PrismaStatements {
  $transaction<T>(
    callback: (tx: TTransaction) => Promise<T>,
    options: { isolationLevel: "ReadCommitted"; maxWait: number; timeout: number },
  ): Promise<T>;
}

/** The options of `createPrismaStateProvider`. */
export interface PrismaProviderOptions extends PgOrmProviderOptions {
  /** How long a transaction of the adapter waits for a connection. Default: 30 seconds. */
  readonly maxWaitMs?: number | undefined;
}

/** Spread it into calls inside `prisma.$transaction(async (tx) => …)`, as `{ tx }`. */
export interface PrismaTxContext<TTransaction> {
  readonly tx: TTransaction;
}

/** A transaction, or the client. */
export interface PrismaContext<TDatabase, TTransaction> {
  readonly tx: TDatabase | TTransaction;
}

// Prisma ends an interactive transaction after 5 seconds and loses all of it. A lease and `timeoutMs` of the job limit ours.
const noTimeoutMs = 2_147_483_647;
const maxWaitDefaultMs = 30_000;

/**
 * The state provider for Prisma 7 with `@prisma/adapter-pg`.
 *
 * @example
 * ```ts
 * const stateProvider = createPrismaStateProvider(prisma, { connectionsMax: 10 });
 * // jobs start in `prisma.$transaction(async (tx) => …)`, with `{ tx }`
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createPrismaStateProvider = <
  TDatabase extends PrismaStatements,
  TTransaction extends PrismaStatements,
>(
  prisma: TDatabase & PrismaDatabase<TTransaction>,
  { connectionsMax, maxWaitMs = maxWaitDefaultMs }: PrismaProviderOptions = {},
): PgStateProvider<PrismaTxContext<TTransaction>, PrismaContext<TDatabase, TTransaction>> => {
  if (!hasMethods(prisma, ["$transaction", "$queryRawUnsafe"]))
    throw new PgInvalidOptionError("prisma", "a `PrismaClient`, not a transaction of it");
  const options = {
    isolationLevel: "ReadCommitted",
    maxWait: maxWaitMs,
    timeout: noTimeoutMs,
  } as const;
  return createOrmProvider<"tx", TDatabase, TTransaction>({
    key: "tx",
    database: prisma,
    connectionsMax,
    transaction: (callback) => prisma.$transaction(callback, options),
    send: async (on: PrismaStatements, { sql, params }: PgStatement) =>
      on.$queryRawUnsafe<readonly PgRow[]>(sql, ...params),
    isTransaction: (on): on is TTransaction =>
      hasMethods(on, ["$queryRawUnsafe"]) && !hasMethods(on, ["$connect"]),
    isEndedError: (error) => (error as { code?: unknown }).code === transactionApiError,
  });
};

/** P2028: the transaction has ended, or could not begin. */
const transactionApiError = "P2028";
