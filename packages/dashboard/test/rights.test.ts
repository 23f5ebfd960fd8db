// The rights of each route, generated over the table of routes: a new route without a row here fails.
import { describe, expect, it } from "vitest";
import { routes } from "../src/api/routes.ts";
import { allRights, type Preset, toGrant } from "../src/grant.ts";
import type { Right } from "../src/api-types.ts";
import { aDashboard, origin, type TestDashboard } from "./a-dashboard.ts";

interface Example {
  readonly path: string;
  readonly body?: object;
  readonly right: Right;
}

const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z" };
const backfill = { action: "backfill", name: "daily", ...range };

/** Requests to each route, with the right that each needs. `ID` is a job. */
const examples: readonly Example[] = [
  ...[
    "session",
    "overview",
    "jobs",
    "sequences",
    "failures",
    "metrics?type=a&range=3h",
    "workers",
    "schedules",
    "actions",
  ].map((path): Example => ({ path, right: "read" })),
  { path: "live", right: "read" },
  { path: "metrics.prom", right: "read" },
  { path: "job?id=ID", right: "read" },
  { path: "payload?id=ID&field=input", right: "read" },
  { path: "explain?id=ID", right: "read" },
  { path: "logs?id=ID", right: "logs" },
  { path: "tree?sequence=ID", right: "read" },
  { path: "type?name=send-mail", right: "read" },
  { path: "suggest?field=type", right: "read" },
  { path: "schedule?name=daily", right: "read" },
  { path: "schedule-preview?everyMs=60000", right: "read" },
  { path: "limit-keys?limitName=calls", right: "read" },
  ...(["retry", "trigger", "cancel", "delete"] as const).flatMap((right): Example[] => [
    { path: "plans", body: { action: right, ids: ["ID"] }, right },
    { path: "apply", body: { token: right, count: 1 }, right },
    { path: "stop", body: { token: right }, right },
  ]),
  { path: `backfill-preview?name=daily&${new URLSearchParams(range)}`, right: "read" },
  { path: "plans", body: backfill, right: "schedule" },
  { path: "apply", body: { token: "backfill", count: 2 }, right: "schedule" },
  { path: "stop", body: { token: "backfill" }, right: "schedule" },
  { path: "act", body: { action: "retry", id: "ID" }, right: "retry" },
  { path: "act", body: { action: "trigger", id: "ID" }, right: "trigger" },
  { path: "act", body: { action: "pause", typeName: "a" }, right: "pause" },
  { path: "act", body: { action: "resume", typeName: "a" }, right: "pause" },
  { path: "act", body: { action: "pause_key", limitName: "calls", key: "a" }, right: "pause" },
  { path: "act", body: { action: "resume_key", limitName: "calls", key: "a" }, right: "pause" },
  { path: "act", body: { action: "pause_schedule", name: "daily" }, right: "schedule" },
  { path: "act", body: { action: "resume_schedule", name: "daily" }, right: "schedule" },
  { path: "act", body: { action: "trigger_schedule", name: "daily" }, right: "schedule" },
  { path: "act", body: { action: "edit_schedule", name: "daily" }, right: "schedule" },
];

const aStoreWithWork = async (rights: () => readonly Right[]): Promise<TestDashboard> => {
  const authorize = () => ({ user: "ada", rights: rights() });
  const dashboard = await aDashboard({ authorize, prometheus: true });
  await addSchedule(dashboard);
  return dashboard;
};

const addSchedule = ({ queuert }: TestDashboard): Promise<unknown> =>
  queuert.upsertSchedules({
    schedules: [{ name: "daily", typeName: "report", input: null, cron: "@daily" }],
  });

/** Puts a job and a real token into a request. */
const filledIn = async (
  { start, post }: TestDashboard,
  { path, body }: Example,
): Promise<{ readonly path: string; readonly body: object | undefined }> => {
  const id = await start("send-mail", null, { schedule: { afterMs: 60_000 } });
  const filled = JSON.parse(JSON.stringify(body ?? null).replaceAll("ID", id)) as {
    token?: string;
  } | null;
  if (filled?.token !== undefined) {
    const request = filled.token === "backfill" ? backfill : { action: filled.token, ids: [id] };
    const made = await post("plans", request);
    const { token, count } = made.body as { token: string; count: number };
    const isCounted = "count" in filled;
    return { path, body: { token, ...(isCounted && { count }) } };
  }
  return { path: path.replace("ID", id), body: filled ?? undefined };
};

const send = async (
  { get, post }: TestDashboard,
  { path, body }: { readonly path: string; readonly body: object | undefined },
): Promise<number> => (body === undefined ? await get(path) : await post(path, body)).status;

describe("the rights of each route", () => {
  it("are tested for all routes", () => {
    const named = new Set(examples.map(({ path }) => path.split("?", 1)[0]));
    expect([...named].sort()).toEqual(routes.map(({ path }) => path).sort());
  });

  it.each(examples)("$path $body needs $right, and nothing else", async (example) => {
    let rights: readonly Right[] = allRights;
    const dashboard = await aStoreWithWork(() => rights);
    const withAll = await filledIn(dashboard, example);
    rights = allRights.filter((right) => right !== example.right);
    // `read` is part of every grant.
    expect(await send(dashboard, withAll)).toBe(example.right === "read" ? 200 : 403);
    rights = [example.right];
    expect(await send(dashboard, withAll)).toBe(200);
  });

  it.each(examples)("$path $body answers 401 without a person", async (example) => {
    let isSignedIn = true;
    const dashboard = await aDashboard({ authorize: () => (isSignedIn ? "admin" : null) });
    const request = await filledIn(dashboard, example);
    isSignedIn = false;
    expect(await send(dashboard, request)).toBe(401);
  });

  it.each(examples.filter(({ body }) => body !== undefined))(
    "$path $body is refused when the dashboard is read-only",
    async (example) => {
      const dashboard = await aDashboard({ readOnly: true });
      await addSchedule(dashboard);
      const writer = await aDashboard({ queuert: dashboard.queuert });
      const request = await filledIn({ ...writer, start: dashboard.start }, example);
      const status = await send(dashboard, request);
      // The token of another dashboard is forged here.
      expect(status).toBe(example.path === "apply" || example.path === "stop" ? 409 : 403);
    },
  );
});

describe("the answer of `authorize`", () => {
  it("gives presets and single rights, and a name", () => {
    const rightsOf = (given: unknown, isReadOnly = false): readonly Right[] => [
      ...(toGrant(given, isReadOnly)?.rights ?? []),
    ];
    expect(rightsOf("view")).toEqual(["read"]);
    expect(rightsOf("admin")).toEqual(allRights);
    expect(rightsOf("operate")).not.toContain("delete");
    expect(rightsOf({ user: "ada", rights: ["retry"] })).toEqual(["read", "retry"]);
    expect(rightsOf("admin", true)).toEqual(["read", "payload", "logs"]);
    expect(toGrant({ user: "ada", rights: "view" }, false)?.user).toBe("ada");
    expect(toGrant(null, false)).toBeNull();
    expect(toGrant(undefined, false)).toBeNull();
  });

  it.each([true, "root", "constructor", 1, {}, { rights: ["all"] }, { user: 1, rights: "view" }])(
    "is never a right if it is wrong: %j",
    async (given) => {
      const dashboard = await aDashboard({ authorize: () => given as Preset });
      expect((await dashboard.get("session")).status).toBe(500);
    },
  );

  it("is needed for the page too", async () => {
    const { dashboard } = await aDashboard({ authorize: () => null });
    const page = await dashboard.fetch(new Request(`${origin}/queues/`));
    expect(page.status).toBe(401);
    const onUnauthorized = (): Response => Response.redirect(`${origin}/login`, 302);
    const other = await aDashboard({ authorize: () => null, onUnauthorized });
    const redirected = await other.dashboard.fetch(new Request(`${origin}/queues/`));
    expect(redirected.headers.get("location")).toBe(`${origin}/login`);
    expect(redirected.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});
