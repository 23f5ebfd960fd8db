// The dashboard on its own: a server of this machine, opened by a link that works once.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOperator } from "queuert/operator";
import { createDashboard } from "../create-dashboard.ts";
import { DashboardError } from "../dashboard-error.ts";
import type { DashboardOptions } from "../dashboard-options.ts";
import type { Preset } from "../grant.ts";
import { withHeaders } from "../headers.ts";
import { toNodeHandler } from "../node-listener.ts";
import { allowedHosts, isLoopback } from "./hosts.ts";
import { SignIn } from "./sign-in.ts";

/** The options of `serveDashboard`. */
export interface ServeDashboardOptions extends Omit<
  DashboardOptions,
  "authorize" | "allowOpen" | "onUnauthorized" | "basePath"
> {
  /** The port; 0 takes a free one. Default: 7400. */
  readonly port?: number | undefined;
  /** The address to listen on. One that other machines reach needs `password` or `token`. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Names by which browsers reach the server, besides those of this machine. Default: none. */
  readonly hostNames?: readonly string[] | undefined;
  /** Asks for this name and password instead of a link. Default: none. */
  readonly password?: { readonly user: string; readonly password: string } | undefined;
  /** Makes the link work more than once, with this token of at least 16 characters. Default: a random one that works once. */
  readonly token?: string | undefined;
  /** The rights of the person at the link. Default: `"admin"`. */
  readonly rights?: Preset | undefined;
}

/** A server that is listening. */
export interface ServedDashboard {
  /** The link to open. Unless a password is asked for, it has the token. */
  readonly link: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Serves a dashboard on this machine.
 *
 * @example
 * ```ts
 * const server = await serveDashboard({ queuert, port: 0 });
 * console.log(server.link);
 * ```
 */
export const serveDashboard = async (options: ServeDashboardOptions): Promise<ServedDashboard> => {
  const { host = "127.0.0.1", port = 7400, hostNames, password, token, rights, ...rest } = options;
  assertClosed(options, host);
  const signIn = new SignIn({ password, token, rights });
  const dashboard = createDashboard({
    ...rest,
    authorize: (request) => signIn.authorize(request),
    onUnauthorized: () => signIn.refusal(),
  });
  const health = createHealth(options.queuert);
  const hosts = allowedHosts(host, hostNames ?? []);
  const server = createServer(
    toNodeHandler({
      fetch: async (request, bindings) => {
        if (!hosts.has(new URL(request.url).hostname)) return withHeaders(wrongHost());
        const { pathname } = new URL(request.url);
        if (pathname === "/api/v1/health") return withHeaders(await health());
        const signedIn = signIn.exchange(request);
        return signedIn === null ? dashboard.fetch(request, bindings) : withHeaders(signedIn);
      },
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  signIn.port = bound;
  return {
    link: signIn.link(isLoopback(host) ? "127.0.0.1" : host),
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const assertClosed = ({ password, token }: ServeDashboardOptions, host: string): void => {
  if (token !== undefined && token.length < 16) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_OPEN",
      "The token has less than 16 characters: give a longer one.",
    );
  }
  if (isLoopback(host) || password !== undefined || token !== undefined) return;
  throw new DashboardError(
    "QUEUERT_DASHBOARD_OPEN",
    `Other machines reach the address ${host}: give a password or a token, or listen on 127.0.0.1.`,
  );
};

const wrongHost = (): Response =>
  Response.json(
    {
      code: "QUEUERT_DASHBOARD_HOST",
      message: "The server was called by a name that it does not have. Name it in `hostNames`.",
    },
    { status: 403 },
  );

const healthKeptMs = 1_000;

/** 200 if the store answers. It needs no rights, so its answer is kept for a moment. */
const createHealth = (queuert: object): (() => Promise<Response>) => {
  const operator = createOperator({ queuert, readOnly: true });
  let kept: { readonly until: number; readonly isWell: Promise<boolean> } | undefined;
  const look = async (): Promise<boolean> =>
    operator.readClock().then(
      () => true,
      () => false,
    );
  return async () => {
    const now = performance.now();
    if (kept === undefined || kept.until < now) {
      kept = { until: now + healthKeptMs, isWell: look() };
    }
    const isWell = await kept.isWell;
    return Response.json(
      { store: isWell ? "reached" : "not_reached" },
      { status: isWell ? 200 : 503 },
    );
  };
};

const listenError = (error: NodeJS.ErrnoException, host: string, port: number): Error =>
  error.code === "EADDRINUSE"
    ? new DashboardError(
        "QUEUERT_DASHBOARD_PORT",
        `Port ${port} of ${host} is taken: give another one, or 0 for a free one.`,
        { cause: error },
      )
    : error;
