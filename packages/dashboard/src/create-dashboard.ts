// A dashboard: a function from a request to an answer. Hono finds the route; each check and each answer is a file of this folder.
import { type Context, Hono } from "hono";
import type { IncomingMessage } from "node:http";
import { ReadCache } from "queuert/internal";
import { createOperator } from "queuert/operator";
import { addressOf, ownPath } from "./address.ts";
import { failureAnswer, toFailure } from "./api-failure.ts";
import { answerRoute } from "./answer-route.ts";
import { Applying } from "./api/applying.ts";
import type { Server } from "./api/route.ts";
import { routes } from "./api/routes.ts";
import { assetAnswer, loadAssets, pageAnswer } from "./assets.ts";
import { assertOptions } from "./assert-options.ts";
import { DashboardError, signInError } from "./dashboard-error.ts";
import type { DashboardOptions } from "./dashboard-options.ts";
import { toGrant } from "./grant.ts";
import { withHeaders } from "./headers.ts";
import { isForMcp, McpMount } from "./mcp.ts";
import { assertSameSite } from "./same-site.ts";
import { Searches } from "./searches.ts";
import { Streams } from "./streams.ts";

/** The values beside a request: those that the Node adapter of Hono gives. */
export interface RequestBindings {
  readonly incoming?: IncomingMessage | undefined;
}

/** A dashboard that waits to be mounted. */
export interface Dashboard {
  /** Answers one request. Never rejects. */
  readonly fetch: (request: Request, bindings?: RequestBindings) => Promise<Response>;
  /** The exports of a route file that catches all paths, as in Next. */
  readonly routes: {
    readonly GET: (request: Request) => Promise<Response>;
    readonly POST: (request: Request) => Promise<Response>;
  };
}

/**
 * Creates a dashboard of the jobs in the store of a client.
 *
 * @example
 * ```ts
 * const dashboard = createDashboard({
 *   queuert,
 *   authorize: async (request) => (request.headers.has("cookie") ? "view" : null), // your session
 * });
 * createServer(toNodeHandler(dashboard)).listen(3000);
 * ```
 */
export const createDashboard = (options: DashboardOptions): Dashboard => {
  assertOptions(options);
  loadAssets();
  const server = createServer(options);
  const app = new Hono<{ Bindings: RequestBindings }>({
    getPath: (request) => ownPath(new URL(request.url).pathname),
  });
  const mcp = options.mcp === undefined ? undefined : new McpMount(options, options.mcp);
  app.use(async (context, next) => {
    if (mcp === undefined || !isForMcp(context.req.raw)) return next();
    const grant = await authorize(options, context);
    if (grant === null) throw signInError();
    return mcp.answer(context.req.raw, grant);
  });
  for (const route of routes) {
    app.on(route.method, `/api/v1/${route.path}`, (context) =>
      answerRoute(server, route, context.req.raw, () => authorize(options, context)),
    );
  }
  app.get("/assets/:name", ({ req }) => {
    const found = assetAnswer(req.param("name"), req.header("accept-encoding") ?? "");
    if (found !== null) return found;
    throw new DashboardError("QUEUERT_DASHBOARD_NOT_FOUND", "No file of the page has this name.");
  });
  app.get("/", (context) => page(options, context));
  app.notFound(({ req }) => {
    // A write to an unknown place is refused like all others from another site.
    if (req.method !== "GET" && req.method !== "HEAD") assertSameSite(req.raw);
    throw new DashboardError("QUEUERT_DASHBOARD_NOT_FOUND", "The API has no such route.");
  });
  app.onError((error) => {
    const failure = toFailure(error);
    if (failure.isUnexpected) (options.onError ?? console.error)(error);
    return failureAnswer(failure);
  });
  const fetch: Dashboard["fetch"] = async (request, bindings = {}) => {
    return withHeaders(await app.fetch(request, bindings), options.frameAncestors);
  };
  const route = (request: Request): Promise<Response> => fetch(request);
  return { fetch, routes: { GET: route, POST: route } };
};

/** A slow answer is kept for so many times as long as it took. */
const slowFactor = 4;

const createServer = (options: DashboardOptions): Server => {
  const { queuert, redact, redactText, readOnly, secret, examineStep, onAction } = options;
  return {
    options,
    operator: createOperator({
      ...{ queuert, redact, redactText, readOnly, secret, examineStep, onAction },
    }),
    searches: new Searches(),
    applying: new Applying(),
    answers: new ReadCache(() => performance.now(), slowFactor),
    streams: new Streams(),
  };
};

type PageContext = Context<{ Bindings: RequestBindings }>;

const authorize = async (
  { authorize, readOnly = false }: DashboardOptions,
  { req, env }: PageContext,
): Promise<ReturnType<typeof toGrant>> => {
  const given = authorize === "open" ? "admin" : await authorize(req.raw, env.incoming);
  return toGrant(given, readOnly);
};

const page = async (options: DashboardOptions, context: PageContext): Promise<Response> => {
  const request = context.req.raw;
  if ((await authorize(options, context)) === null) {
    return (
      options.onUnauthorized?.(request) ??
      new Response("Sign in to the application first.\n", { status: 401 })
    );
  }
  const address = addressOf(request, options.basePath, context.env.incoming);
  return "base" in address
    ? pageAnswer(address.base)
    : new Response(null, { status: 308, headers: { location: address.redirectTo } });
};
