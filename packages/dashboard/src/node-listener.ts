// A dashboard as a listener of Node: for node:http, Express, Connect, Nest, Fastify and Koa.
import { getRequestListener } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dashboard, RequestBindings } from "./create-dashboard.ts";

/** A body that a parser of the framework has read already is here. */
type ParsedMessage = IncomingMessage & { body?: unknown; rawBody?: unknown };

/**
 * Makes a listener of a dashboard.
 *
 * @example
 * ```ts
 * createServer(toNodeHandler(dashboard)).listen(3000); // Express: app.use("/queues", …)
 * ```
 */
export const toNodeHandler = ({
  fetch,
}: Pick<Dashboard, "fetch">): ((
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => Promise<void>) => {
  const listen = getRequestListener(
    (request, bindings) => fetch(request, { incoming: (bindings as RequestBindings).incoming }),
    { overrideGlobalObjects: false },
  );
  return async (incoming, outgoing) => {
    restoreBody(incoming);
    await listen(incoming, outgoing);
  };
};

/** A body parser leaves an empty stream behind, and the value. */
const restoreBody = (incoming: ParsedMessage): void => {
  const { body, rawBody } = incoming;
  if (!incoming.readableEnded || body === undefined || Buffer.isBuffer(rawBody)) return;
  incoming.rawBody = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
};
