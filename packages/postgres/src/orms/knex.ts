// `@queuert/postgres/knex`: jobs in the transactions of Knex, and of Objection, which uses them.
import type { Knex } from "knex";
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow, PgStateProvider, PgStatement } from "../state-provider.ts";
import { createOrmProvider, type PgOrmProviderOptions } from "./orm-provider.ts";
import { splitAtParameters } from "./parameters.ts";

export type { PgOrmProviderOptions } from "./orm-provider.ts";

/** Spread it into calls inside `knex.transaction(async (trx) => …)`, as `{ trx }`. */
export interface KnexTxContext {
  readonly trx: Knex.Transaction;
}

/** A transaction, or the database. */
export interface KnexContext {
  readonly trx: Knex | Knex.Transaction;
}

/**
 * The state provider for Knex with the client `pg`.
 *
 * @example
 * ```ts
 * const knex = createKnex({ client: "pg", connection: "postgres://localhost/app" });
 * const stateProvider = createKnexStateProvider(knex, { connectionsMax: 10 });
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createKnexStateProvider = (
  knex: Knex,
  { connectionsMax }: PgOrmProviderOptions = {},
): PgStateProvider<KnexTxContext, KnexContext> => {
  if (!isKnex(knex) || isTransaction(knex))
    throw new PgInvalidOptionError("knex", "a Knex instance, not a transaction of it");
  return createOrmProvider<"trx", Knex, Knex.Transaction>({
    key: "trx",
    database: knex,
    connectionsMax,
    transaction: (callback) => knex.transaction(callback, { isolationLevel: "read committed" }),
    send: async (on, statement) => {
      const { text, values } = toQuestionMarks(statement);
      const { rows } = await on.raw<{ rows: PgRow[] }>(text, values);
      return rows;
    },
    isTransaction,
    isEndedError: ({ message }) => message.startsWith("Transaction query already complete"),
  });
};

const isKnex = (on: unknown): on is Knex =>
  typeof on === "function" && hasMethods(on, ["raw", "transaction"]);

const isTransaction = (on: unknown): on is Knex.Transaction =>
  isKnex(on) && on.isTransaction === true;

/** Knex numbers parameters itself. To Knex, each `?` is a parameter, in quoted texts too, unless it has a backslash. */
const toQuestionMarks = ({ sql, params }: PgStatement) => {
  const { parts, indexes } = splitAtParameters(sql);
  // A statement without parameters may be the text of a function, in which `$1` has another meaning.
  if (params.length === 0) return { text: sql.replaceAll("?", "\\?"), values: [] };
  const text = parts.map((part) => part.replaceAll("?", "\\?")).join("?");
  // The driver takes null, but the type of values leaves it out.
  return { text, values: indexes.map((index) => params[index] ?? null) as string[] };
};
