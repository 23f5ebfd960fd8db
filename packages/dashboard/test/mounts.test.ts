// The same dashboard in each framework: with and without a trailing slash, with the mount point kept or stripped.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Dashboard, type DashboardOptions, toNodeHandler } from "@queuert/dashboard";
import { getRequestListener } from "@hono/node-server";
import express5 from "express";
import express4 from "express-4";
import Fastify from "fastify";
import helmet from "helmet";
import { Hono } from "hono";
import Koa from "koa";
import { aDashboard } from "./a-dashboard.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const listen = async (listener: RequestListener | Server): Promise<string> => {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const withHono = (dashboard: Dashboard): RequestListener => {
  const app = new Hono();
  app.all("/queues/*", (context) => dashboard.fetch(context.req.raw));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
};

const withFastify = async (dashboard: Dashboard): Promise<RequestListener> => {
  const app = Fastify();
  const handle = toNodeHandler(dashboard);
  const route = async (
    request: { raw: object; body: unknown },
    reply: { hijack(): void; raw: object },
  ) => {
    reply.hijack();
    // Fastify has read the body.
    const incoming = Object.assign(request.raw, { body: request.body });
    await handle(incoming as never, reply.raw as never);
  };
  app.all("/queues", route as never);
  app.all("/queues/*", route as never);
  await app.ready();
  return (incoming, outgoing) => app.routing(incoming, outgoing);
};

const withKoa = (dashboard: Dashboard): RequestListener => {
  const app = new Koa();
  const handle = toNodeHandler(dashboard);
  app.use(async (context) => {
    context.respond = false;
    await handle(context.req, context.res);
  });
  const listener = app.callback();
  return (incoming, outgoing) => void listener(incoming, outgoing);
};

/** Frameworks by their names, each with the dashboard below `/queues`. */
const mounts: Readonly<
  Record<string, (dashboard: Dashboard) => RequestListener | Promise<RequestListener>>
> = {
  "node:http": toNodeHandler,
  "Express 5": (dashboard) => express5().use("/queues", toNodeHandler(dashboard)),
  "Express 4": (dashboard) => express4().use("/queues", toNodeHandler(dashboard)),
  "Express 5 with helmet and body parsers": (dashboard) =>
    express5()
      .use(helmet())
      .use(express5.json(), express5.urlencoded({ extended: true }))
      .use("/queues", toNodeHandler(dashboard)),
  "Express 4 with helmet and body parsers": (dashboard) =>
    express4()
      .use(helmet())
      .use(express4.json(), express4.text({ type: "*/*" }))
      .use("/queues", toNodeHandler(dashboard)),
  "Express 5, mounted in a router": (dashboard) =>
    express5().use(
      "/",
      express5.Router().use("/queues", express5.Router().use("/", toNodeHandler(dashboard))),
    ),
  "Fastify 5": withFastify,
  Koa: withKoa,
  Hono: withHono,
  "a fetch server": ({ fetch }) =>
    getRequestListener((request) => fetch(request), { overrideGlobalObjects: false }),
  "a Next route": ({ routes }) =>
    getRequestListener(
      (request) => (request.method === "POST" ? routes.POST : routes.GET)(request),
      { overrideGlobalObjects: false },
    ),
};

/** Opens the page as a browser does, follows its links, and writes. */
const visit = async (address: string): Promise<void> => {
  const page = await fetch(address);
  expect(page.status).toBe(200);
  const html = await page.text();
  const script = /<script type="module" src="([^"]+)"/.exec(html)?.[1] ?? "";
  const scriptUrl = new URL(script, page.url);
  const asset = await fetch(scriptUrl);
  expect([asset.status, asset.headers.get("content-type")]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
  expect(page.headers.get("content-security-policy")).toContain("trusted-types 'none'");
  const overview = await fetch(new URL("../api/v1/overview", scriptUrl));
  expect(await overview.json()).toMatchObject({ totals: { pending: 0 } });
  const act = await fetch(new URL("../api/v1/act", scriptUrl), {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ action: "pause", typeName: "naïve", note: "é" }),
  });
  expect([act.status, await act.json()]).toEqual([200, { done: true, reason: null }]);
};

const aMount = async (
  mount: (dashboard: Dashboard) => RequestListener | Promise<RequestListener>,
  options: Partial<DashboardOptions> = {},
): Promise<string> => {
  const { dashboard } = await aDashboard(options);
  return listen(await mount(dashboard));
};

describe("a dashboard in a framework", () => {
  it.each(Object.entries(mounts))("%s, with a trailing slash and without", async (_name, mount) => {
    const base = await aMount(mount);
    await visit(`${base}/queues/`);
    await visit(`${base}/queues`);
    await visit(`${base}/queues?jobs&q=status:failed`);
    const moved = await fetch(`${base}/queues?jobs=1`, { redirect: "manual" });
    expect(moved.headers.get("location")).toBe("./queues/?jobs=1");
  });

  it("stops a plan when the browser goes away from a Node server", async () => {
    const told = new AbortController();
    let steps = 0;
    const { dashboard, queuert, post } = await aDashboard({}, (adapter) => ({
      ...adapter,
      triggerJobs: async (params) => {
        if (++steps === 2 && !told.signal.aborted) {
          await new Promise((resolve) => told.signal.addEventListener("abort", resolve));
        }
        return adapter.triggerJobs(params);
      },
    }));
    const sequences = Array.from({ length: 1_200 }, () => ({
      typeName: "send-mail",
      input: null,
      schedule: { afterMs: 3_600_000 },
    }));
    await queuert.startJobSequences({ sequences, autocommit: true });
    const made = await post("plans", { action: "trigger", filter: "status:pending" });
    const { token, count } = made.body as { token: string; count: number };
    const node = createServer(toNodeHandler(dashboard));
    const base = await listen(node);
    const closed = new Promise((resolve) => {
      node.on("connection", (socket) => socket.on("close", resolve));
    });
    const leave = new AbortController();
    const applying = await fetch(`${base}/api/v1/apply`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ token, count }),
      signal: leave.signal,
    });
    await applying.body?.getReader().read();
    leave.abort();
    await closed;
    told.abort();
    const finished = async (): Promise<unknown> => {
      const answer = await dashboard.fetch(new Request(`${base}/api/v1/actions`));
      return answer.json();
    };
    await expect
      .poll(finished)
      .toMatchObject({ items: [{ done: 1_000, finishedAt: expect.any(String) }] });
  });
});

/** A proxy that takes the beginning of a path away, as nginx and Traefik do. */
const aStrippingProxy = (target: string, prefix: string, isTold: boolean): Promise<string> =>
  listen(
    getRequestListener(
      async (request) => {
        const { pathname, search } = new URL(request.url);
        if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) {
          return new Response(null, { status: 404 });
        }
        const headers = new Headers(request.headers);
        headers.delete("host");
        if (isTold) headers.set("x-forwarded-prefix", prefix);
        const { method } = request;
        const body = method === "GET" ? null : await request.text();
        const path = pathname.slice(prefix.length) || "/";
        const answer = await fetch(`${target}${path}${search}`, {
          method,
          headers,
          body,
          redirect: "manual",
        });
        const own = new Headers(answer.headers);
        own.delete("content-encoding");
        own.delete("content-length");
        return new Response(answer.body, { status: answer.status, headers: own });
      },
      { overrideGlobalObjects: false },
    ),
  );

describe("a dashboard behind a proxy that strips", () => {
  it("is found with a trailing slash, and without one if the proxy tells the prefix", async () => {
    const { dashboard } = await aDashboard();
    const target = await listen(toNodeHandler(dashboard));
    await visit(`${await aStrippingProxy(target, "/admin/jobs", false)}/admin/jobs/`);
    const told = await aStrippingProxy(target, "/admin/jobs", true);
    await visit(`${told}/admin/jobs/`);
    await visit(`${told}/admin/jobs`);
  });

  it("is found below a mount point that stays", async () => {
    const { dashboard } = await aDashboard();
    const app = express5().use("/queues", toNodeHandler(dashboard));
    const target = await listen(app);
    for (const isTold of [true, false]) {
      const proxy = await aStrippingProxy(target, "/admin", isTold);
      await visit(`${proxy}/admin/queues/`);
      await visit(`${proxy}/admin/queues`);
    }
  });

  it("is found where `basePath` says, and puts no foreign text into the page", async () => {
    const base = await aMount(toNodeHandler, { basePath: "/queues" });
    await visit(`${base}/queues`);
    const { dashboard } = await aDashboard();
    for (const prefix of ['/"><script>', "//evil.example.com", "https://evil.example.com"]) {
      const request = new Request("https://a.example/queues/", {
        headers: { "x-forwarded-prefix": prefix },
      });
      expect(await (await dashboard.fetch(request)).text()).not.toContain("evil");
      expect(await (await dashboard.fetch(request)).text()).not.toContain('"><script>');
    }
  });
});
