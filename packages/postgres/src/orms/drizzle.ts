// `@queuert/postgres/drizzle`: jobs in the transactions of Drizzle. Its driver's state provider sends all statements of the adapter,
// and begins and commits the transactions of workers. Drizzle builds an object for each parameter of a statement, which
// would double the cost of a completion.
import { StateNotInTransactionError } from "queuert";
import type { BaseStateAdapterContext } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgStateProvider } from "../state-provider.ts";
import { createOrmProvider } from "./orm-provider.ts";

/** A Drizzle database of any driver: `pg`, postgres.js, PGlite. */
export interface DrizzleDatabase<TTransaction> {
  readonly $client: unknown;
  transaction<T>(callback: (tx: TTransaction) => Promise<T>): Promise<T>;
}

/** Spread it into calls inside `db.transaction(async (tx) => …)`, as `{ db: tx }`. */
export interface DrizzleTxContext<TTransaction> {
  readonly db: TTransaction;
}

/** A transaction, or the database. */
export interface DrizzleContext<TDatabase, TTransaction> {
  readonly db: TDatabase | TTransaction;
}

type DriverProvider = PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>;

/**
 * The state provider for Drizzle, over the state provider of its driver: `createDrizzleStateProvider(drizzle(pool),
 * createPgPoolStateProvider(pool))`.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool();
 * const db = drizzle(pool);
 * const stateProvider = createDrizzleStateProvider(db, createPgPoolStateProvider(pool));
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createDrizzleStateProvider = <
  TDatabase extends object,
  TTransaction extends object,
  TDriverTxContext extends BaseStateAdapterContext,
  TDriverContext extends BaseStateAdapterContext,
>(
  db: TDatabase & DrizzleDatabase<TTransaction>,
  driver: PgStateProvider<TDriverTxContext, TDriverContext>,
): PgStateProvider<DrizzleTxContext<TTransaction>, DrizzleContext<TDatabase, TTransaction>> => {
  assertDatabase(db);
  // Contexts are made here, of the clients that Drizzle holds.
  const inner: DriverProvider = driver;
  const [clientKey] = inner.contextKeys ?? [];
  if (clientKey === undefined) {
    const expected =
      "the state provider of Drizzle's driver, such as `createPgPoolStateProvider(pool)` makes";
    throw new PgInvalidOptionError("driver", expected);
  }
  const toInner = (on: unknown): BaseStateAdapterContext => {
    const { client } = (on as Internals).session;
    return { [clientKey]: lentClients.get(client) ?? client };
  };
  const { executeSqlAndCommit } = inner;
  return createOrmProvider<"db", TDatabase, TTransaction>({
    key: "db",
    database: db,
    connectionsMax: inner.connectionsMax,
    checksCommit: true,
    transaction: (callback) =>
      inner.runInTransaction((context) => {
        const client = (context as Readonly<Record<string, object>>)[clientKey];
        return transactionOver(db as object as Internals, client as object, callback);
      }),
    send: (on, statement) => inner.executeSql(statement, toInner(on)),
    ...(executeSqlAndCommit && {
      sendAndCommit: (tx, statement) => executeSqlAndCommit(statement, toInner(tx)),
    }),
    isTransaction: (on): on is TTransaction =>
      isDrizzle(on) && typeof (on as { rollback?: unknown }).rollback === "function",
    // The driver's provider knows of some ends, too.
    isEndedError: (error) => error instanceof StateNotInTransactionError,
  });
};

/** The parts of a Drizzle database or transaction that its types hide. */
interface Internals {
  readonly session: {
    readonly client: object;
    transaction<T, TTransaction>(callback: (tx: TTransaction) => Promise<T>): Promise<T>;
  };
}

const isDrizzle = (on: unknown): on is Internals => {
  const { session } = (on ?? {}) as { session?: Partial<Internals["session"]> | null };
  return (
    typeof session?.transaction === "function" &&
    session.client !== null &&
    ["object", "function"].includes(typeof session.client)
  );
};

const assertDatabase = (db: DrizzleDatabase<unknown>): void => {
  if (isDrizzle(db) && db.$client !== undefined) return;
  const expected =
    "a Drizzle database over a pool, such as `drizzle(pool)` makes, not a transaction of it";
  throw new PgInvalidOptionError("db", expected);
};

/** The clients of the driver's provider, by the objects that Drizzle has in their place. */
const lentClients = new WeakMap<object, object>();

/** A transaction of Drizzle on a client that is in a transaction already. Drizzle's own BEGIN and COMMIT are left out. */
const transactionOver = async <T, TTransaction>(
  { session }: Internals,
  client: object,
  callback: (tx: TTransaction) => Promise<T>,
): Promise<T> => {
  const isInCallback = { current: false };
  const begun = begunClient(client, isInCallback);
  lentClients.set(begun, client);
  // The session of the database with another client: it keeps its schema, its logger and its casing.
  const own = Object.create(session, { client: { value: begun } }) as Internals["session"];
  return own.transaction(async (tx: TTransaction) => {
    isInCallback.current = true;
    try {
      return await callback(tx);
    } finally {
      isInCallback.current = false;
    }
  });
};

const control = /^(begin|commit|rollback)$/i;
const nothing = { rows: [], rowCount: null, fields: [] };

const begunClient = (client: object, isInCallback: { readonly current: boolean }): object =>
  new Proxy(client, {
    get: (target, key) => {
      // postgres.js and PGlite begin a transaction by a callback.
      if (key === "begin" || key === "transaction") {
        return (callback: (tx: object) => unknown) => callback(target);
      }
      const value: unknown = Reflect.get(target, key);
      if (key !== "query" || typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const [query] = args as readonly [string | { readonly text?: string } | undefined];
        const text = typeof query === "string" ? query : query?.text;
        // A COMMIT that the user sends in the callback is the user's.
        const isDrizzles = !isInCallback.current && control.test(text ?? "");
        return isDrizzles ? Promise.resolve(nothing) : Reflect.apply(value, target, args);
      };
    },
  });
