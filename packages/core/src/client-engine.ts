// From a client back to its engine: the operator layer works on the adapters of a client that it is given.
import type { Engine } from "./engine.ts";
import { InvalidOptionError } from "./errors.ts";

const engines = new WeakMap<object, Engine>();

/** Remembers the engine of a client. */
export const rememberEngine = (client: object, engine: Engine): void => {
  engines.set(client, engine);
};

/** The engine of a client that `createQueuert` made. */
export const engineOf = (client: unknown): Engine => {
  const engine = typeof client === "object" && client !== null ? engines.get(client) : undefined;
  if (engine !== undefined) return engine;
  throw new InvalidOptionError("queuert", client, "give the client that `createQueuert` returned");
};
