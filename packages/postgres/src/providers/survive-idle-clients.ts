import type { ClientBase, Pool } from "pg";

const pools = new WeakSet<Pool>();
const clients = new WeakSet<ClientBase>();

// The statement that fails reports a broken connection. The event `error` reports it too, and ends the process if it has no
// listener. One connection may emit several: while it is lent out, while it idles,
// and once more after the pool has thrown it away.
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
