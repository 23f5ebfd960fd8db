// The clients of a pool, as one transaction after another borrows them. Each transaction lends an object of its own: if that is
// used after its transaction, it refuses to join the next one.
import type { ClientBase, Pool, PoolClient } from "pg";
import { TransactionEndingError } from "queuert";

export interface Loan {
  readonly client: PoolClient;
  isOver: boolean;
}

const loans = new WeakMap<object, Loan>();

/** The loan of a lent client; undefined for a client of the driver. */
export const loanOf = (client: object): Loan | undefined => loans.get(client);

/** An object that does all that the client does, until the loan is over. */
const lendClient = (loan: Loan): PoolClient => {
  const query: Query = (...args) => {
    const { client, isOver } = loan;
    if (isOver) return refuseQuery(client, args, new TransactionEndingError("A statement"));
    // Read at each call: until BEGIN is answered, the client has a `query` of another kind.
    return Reflect.apply(client.query as Query, client, args);
  };
  const lent = new Proxy(loan.client, {
    get: (target, key) => (key === "query" ? query : bound(target, key)),
  });
  loans.set(lent, loan);
  return lent;
};

/** Methods run on the client itself, which may have private fields. */
const bound = (client: ClientBase, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(client, key);
  // A class is read, not called: `client.constructor`.
  return typeof value === "function" && key !== "constructor" ? value.bind(client) : value;
};

/** An open transaction of a client. */
export interface PgTransaction {
  commit(): Promise<void>;
  /** Returns the error after which the connection must not be used again. */
  rollBack(): Promise<Error | undefined>;
}

export const beginSql = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** Runs the callback with a client of the pool, in a transaction that `begin` opens on it. */
export const runOnLentClient = async <T>(
  pool: Pool,
  begin: (loan: Loan) => PgTransaction | Promise<PgTransaction>,
  callback: (context: { readonly client: ClientBase }) => Promise<T>,
): Promise<T> => {
  const client: PoolClient = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements emits an error; the next statement then fails.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  surviveBreaking(client);
  const loan: Loan = { client, isOver: false };
  let transaction: PgTransaction | undefined;
  try {
    transaction = await begin(loan);
    const result = await callback({ client: lendClient(loan) });
    // Before COMMIT or ROLLBACK is sent: a statement behind it would be stored by itself.
    loan.isOver = true;
    await transaction.commit();
    return result;
  } catch (error) {
    loan.isOver = true;
    // If BEGIN failed, the state of the connection is unknown.
    const unusable = transaction === undefined ? (error as Error) : await transaction.rollBack();
    broken ??= unusable;
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
};

/** The arguments of the driver's `query`, which has several forms. */
export type Query = (...args: readonly unknown[]) => unknown;

interface Submittable {
  submit(connection: unknown): unknown;
  handleError?(error: unknown, connection: unknown): void;
}

export const isFunction = (value: unknown): boolean => typeof value === "function";

export const isSubmittable = (value: unknown): value is Submittable =>
  isFunction((value as Partial<Submittable> | null | undefined)?.submit);

/** Returns the same as the driver: a promise, nothing for a callback, or the given object. */
export const sendAfter = (
  client: ClientBase,
  begun: Promise<void>,
  send: Query,
  args: readonly unknown[],
): unknown => {
  const [config] = args;
  if (isSubmittable(config)) {
    const { connection } = client as { readonly connection?: unknown };
    begun.then(
      () => send(...args),
      (error: unknown) => config.handleError?.(error, connection),
    );
    return config;
  }
  const callback = args.find(isFunction) as ((error: unknown) => void) | undefined;
  if (callback === undefined) return begun.then(() => send(...args));
  begun.then(() => send(...args), callback);
  return undefined;
};

/** Rejects, calls back or hands over the error, as the driver does for these arguments. */
const refuseQuery = (client: ClientBase, args: readonly unknown[], error: Error): unknown => {
  const refused = Promise.reject(error);
  return sendAfter(client, refused, () => refused, args);
};

const pools = new WeakSet<Pool>();
const clients = new WeakSet<ClientBase>();

// The statement that fails reports a broken connection. The event `error` reports it too, and ends the process if it has no
// listener. One connection may emit several: while it is lent out, while it idles, and after the pool has thrown it away.
const ignore = (): void => undefined;

/** Lets a client break without ending the process. */
const surviveBreaking = (client: ClientBase): void => {
  if (clients.has(client)) return;
  clients.add(client);
  client.on("error", ignore);
};

/** Lets all clients of a pool break without ending the process. */
export const surviveIdleClients = (pool: Pool): void => {
  if (pools.has(pool)) return;
  pools.add(pool);
  pool.on("error", ignore);
  pool.on("connect", surviveBreaking);
};
