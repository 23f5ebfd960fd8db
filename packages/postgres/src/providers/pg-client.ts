// Clients of the driver `pg`: the several forms of their `query`, and connections that break.
import type { ClientBase, Pool } from "pg";

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
export const refuseQuery = (
  client: ClientBase,
  args: readonly unknown[],
  error: Error,
): unknown => {
  const refused = Promise.reject(error);
  return sendAfter(client, refused, () => refused, args);
};

const pools = new WeakSet<Pool>();
const clients = new WeakSet<ClientBase>();

// The statement that fails reports a broken connection. The event `error` reports it too, and ends the process if it has no
// listener. One connection may emit several: while it is lent out, while it idles, and after the pool has thrown it away.
const ignore = (): void => undefined;

/** Lets a client break without ending the process. */
export const surviveBreaking = (client: ClientBase): void => {
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
