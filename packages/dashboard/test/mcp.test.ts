// The tools for agents, mounted in a dashboard: behind its sign-in, with the rights of the person.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcp } from "@queuert/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DashboardOptions } from "@queuert/dashboard";
import type { Preset } from "../src/grant.ts";
import { aDashboard, origin, type TestDashboard } from "./a-dashboard.ts";

const address = `${origin}/queues/mcp`;
const withWrites: DashboardOptions["mcp"] = (options) =>
  createMcp({ ...options, allowWrites: true });

/** Signs in by a header, as a program does. */
const authorize = (request: Request) => {
  const rights = request.headers.get("authorization")?.replace("Bearer ", "") ?? null;
  return rights === null ? null : { user: "ada", rights: rights as Preset };
};

const aMount = (options: Partial<DashboardOptions> = {}): Promise<TestDashboard> =>
  aDashboard({ authorize, mcp: createMcp, ...options });

const anAgent = async ({ dashboard }: TestDashboard, rights: Preset): Promise<Client> => {
  const client = new Client({ name: "agent", version: "1.0.0" });
  const fetch = (to: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(to, init);
    request.headers.set("authorization", `Bearer ${rights}`);
    return dashboard.fetch(request);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { fetch }));
  onTestFinished(() => client.close());
  return client;
};

const call = async (client: Client, name: string, args: object = {}) => {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [content] = result.content as { text: string }[];
  return { text: content?.text ?? "", values: result.structuredContent as Record<string, unknown> };
};

const later = { schedule: { afterMs: 3_600_000 } };

describe("the tools at `mcp`", () => {
  it("read by default, and show payloads to those that may see them", async () => {
    const mount = await aMount();
    const id = await mount.start("send-mail", { to: "grace@example.com" }, later);
    const admin = await anAgent(mount, "admin");
    const { tools } = await admin.listTools();
    expect(tools).toHaveLength(11);
    expect(tools.map(({ name }) => name)).not.toContain("apply");
    expect((await call(admin, "show_job", { id })).text).toContain("grace@example.com");
    const viewer = await anAgent(mount, "view");
    const shown = await call(viewer, "show_job", { id });
    expect(shown.text).toContain("The job is pending.");
    expect(shown.text).not.toContain("grace@example.com");
    const searched = await call(viewer, "find_jobs", { filter: "input:grace" });
    expect(searched.text).toContain("QUEUERT_INVALID_FILTER");
  });

  it("write only with `allowWrites`, as far as the person may, and under their name", async () => {
    const mount = await aMount({ mcp: withWrites });
    const id = await mount.start("send-mail", null, later);
    const operator = await anAgent(mount, "operate");
    const refused = await call(operator, "plan", { action: "delete", ids: [id] });
    expect(refused.text).toContain("The action delete is not allowed here.");
    const planned = await call(operator, "plan", { action: "trigger", ids: [id] });
    const { token } = planned.values;
    const viewer = await anAgent(mount, "view");
    const stolen = await call(viewer, "apply", { token, count: 1 });
    expect(stolen.text).toContain("QUEUERT_PLAN_REFUSED");
    const again = await anAgent(mount, "operate");
    expect((await call(again, "apply", { token, count: 1 })).text).toContain("1 done");
    const { items } = (await mount.get("actions", { authorization: "Bearer view" })).body as {
      items: object[];
    };
    expect(items).toMatchObject([{ action: "trigger", user: "ada (mcp)", done: 1 }]);
  });

  it("are refused without a person, and to pages of other sites", async () => {
    const { dashboard } = await aMount();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const send = async (headers: Record<string, string>): Promise<number> => {
      const accept = "application/json, text/event-stream";
      const all = { "content-type": "application/json", accept, ...headers };
      const request = new Request(address, { method: "POST", body, headers: all });
      return (await dashboard.fetch(request)).status;
    };
    const person = { authorization: "Bearer admin" };
    expect(await send({})).toBe(401);
    expect(await send(person)).toBe(200);
    expect(await send({ ...person, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await send({ ...person, origin: "https://evil.example" })).toBe(403);
    expect(await send({ ...person, origin, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  it("leave the page where it is, and are absent if they are not mounted", async () => {
    const headers = { authorization: "Bearer view", accept: "text/html" };
    const mounted = await aMount();
    const page = await mounted.dashboard.fetch(new Request(`${address}/`, { headers }));
    expect(await page.text()).toContain('<div id="app">');
    const without = await aDashboard({ authorize });
    const json = { ...headers, "content-type": "application/json", origin };
    const request = new Request(address, { method: "POST", body: "{}", headers: json });
    expect((await without.dashboard.fetch(request)).status).toBe(404);
  });
});
