import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  serveDashboard,
  type ServedDashboard,
  type ServeDashboardOptions,
} from "@queuert/dashboard";
import { aClient } from "./a-dashboard.ts";

const open: ServedDashboard[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

const serve = async (options: Partial<ServeDashboardOptions> = {}): Promise<ServedDashboard> => {
  const served = await serveDashboard({ queuert: await aClient(), port: 0, ...options });
  open.push(served);
  return served;
};

/** A request with a host of its own, which `fetch` would not send. */
const statusOf = (port: number, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });

describe("the dashboard on its own", () => {
  it("is opened by a link that works once, and by its cookie afterwards", async () => {
    const { link, port } = await serve();
    const base = `http://127.0.0.1:${port}`;
    expect(link.startsWith(`${base}/?token=`)).toBe(true);
    expect((await fetch(`${base}/`)).status).toBe(401);
    expect((await fetch(`${base}/api/v1/session`)).status).toBe(401);
    const first = await fetch(link, { redirect: "manual" });
    expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
    const setCookie = first.headers.get("set-cookie") ?? "";
    expect(setCookie).toMatch(/^queuert_\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/);
    const [cookie = ""] = setCookie.split(";");
    expect((await fetch(`${base}/`, { headers: { cookie } })).status).toBe(200);
    const session = await fetch(`${base}/api/v1/session`, { headers: { cookie } });
    expect(await session.json()).toMatchObject({ can: expect.arrayContaining(["delete"]) });
    expect((await fetch(link, { redirect: "manual" })).status).toBe(401);
    const again = await fetch(link, { redirect: "manual", headers: { cookie } });
    expect(again.status).toBe(303);
    const forged = { cookie: cookie.replace(/=.*/, "=guessed") };
    expect((await fetch(`${base}/api/v1/session`, { headers: forged })).status).toBe(401);
  });

  it("is not reached under the name of another site", async () => {
    const { port } = await serve({ hostNames: ["queues.internal"] });
    for (const [host, status] of [
      [`127.0.0.1:${port}`, 401],
      [`localhost:${port}`, 401],
      [`[::1]:${port}`, 401],
      [`queues.internal:${port}`, 401],
      [`evil.example.com:${port}`, 403],
      [`127.0.0.1.evil.example.com`, 403],
    ] as const) {
      expect([host, await statusOf(port, "/api/v1/session", { host })]).toEqual([host, status]);
    }
    expect(await statusOf(port, "/api/v1/health", { host: "evil.example.com" })).toBe(403);
  });

  it("refuses to be reached by other machines without a password or a token", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.7"]) {
      await expect(serve({ host })).rejects.toMatchObject({ code: "QUEUERT_DASHBOARD_OPEN" });
    }
    await expect(serve({ token: "short" })).rejects.toMatchObject({
      code: "QUEUERT_DASHBOARD_OPEN",
    });
    const { port } = await serve({
      host: "0.0.0.0",
      password: { user: "ada", password: "päss" },
      rights: "view",
    });
    const session = `http://127.0.0.1:${port}/api/v1/session`;
    const basic = (text: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(text).toString("base64")}`,
    });
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect(page.headers.get("www-authenticate")).toContain("Basic");
    expect((await fetch(session, { headers: basic("ada:pass") })).status).toBe(401);
    const answer = await fetch(session, { headers: basic("ada:päss") });
    expect(await answer.json()).toMatchObject({ user: "ada", can: ["read"] });
  });

  it("takes a token of its user, which works more than once", async () => {
    const { link } = await serve({ token: "0123456789abcdef", readOnly: true });
    for (const _ of [1, 2]) {
      const answer = await fetch(link, { redirect: "manual" });
      expect(answer.status).toBe(303);
    }
  });

  it("tells whether the store is reached, and names a port that is taken", async () => {
    const { port } = await serve();
    const health = await fetch(`http://127.0.0.1:${port}/api/v1/health`);
    expect([health.status, await health.json()]).toEqual([200, { store: "reached" }]);
    await expect(serve({ port })).rejects.toMatchObject({ code: "QUEUERT_DASHBOARD_PORT" });
    const failing = await aClient((adapter) => ({
      ...adapter,
      operator: { ...adapter.operator, readClock: () => Promise.reject(new Error("gone")) },
    }));
    const other = await serve({ queuert: failing });
    expect((await fetch(`http://127.0.0.1:${other.port}/api/v1/health`)).status).toBe(503);
  });
});
