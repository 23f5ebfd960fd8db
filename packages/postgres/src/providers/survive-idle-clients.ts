import type { ClientBase, Pool } from "pg";

const pools = new WeakSet<Pool>();
const clients = new WeakSet<ClientBase>();

// What a breaking connection means is said by the statement that fails; as an event it has nobody to tell, and an event
// `error` that nobody listens to ends the process. One connection may emit several: while it is lent out, while it idles,
// and once more after the pool has thrown it away.
const ignore = (): void => undefined;

/** Lets a client break without ending the process, whoever holds it. */
export const surviveBreaking = (client: ClientBase): void => {
  if (clients.has(client)) return;
  clients.add(client);
  client.on("error", ignore);
};

/** The same for a pool and all its clients. */
export const surviveIdleClients = (pool: Pool): void => {
  if (pools.has(pool)) return;
  pools.add(pool);
  pool.on("error", ignore);
  pool.on("connect", surviveBreaking);
};
