import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { aDashboard, origin, type TestDashboard } from "./a-dashboard.ts";

const plan = async (
  { post }: TestDashboard,
  body: object,
): Promise<{ readonly token: string; readonly count: number }> => {
  const answer = await post("plans", body);
  expect(answer.status).toBe(200);
  return answer.body as { token: string; count: number };
};

const startMany = async ({ queuert }: TestDashboard, count: number): Promise<void> => {
  const schedule = { afterMs: 3_600_000 };
  const sequences = Array.from({ length: count }, () => ({
    typeName: "send-mail",
    input: null,
    schedule,
  }));
  await queuert.startJobSequences({ sequences, autocommit: true });
};

const linesOf = (text: string): { kind: string; done?: number }[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; done?: number });

describe("plans", () => {
  it("are made, applied in steps, and recorded", async () => {
    const dashboard = await aDashboard();
    await startMany(dashboard, 1_200);
    const made = await plan(dashboard, { action: "trigger", filter: "type:send-mail" });
    expect(made).toMatchObject({ count: 1_200, confirm: "count" });
    const { token } = made;
    expect((await dashboard.post("apply", { token, count: 7 })).status).toBe(409);
    const applied = await dashboard.post("apply", { token, count: 1_200 });
    expect(applied.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = linesOf(applied.text);
    expect(lines.map(({ kind, done }) => [kind, done])).toEqual([
      ["progress", 500],
      ["progress", 1_000],
      ["progress", 1_200],
      ["finished", 1_200],
    ]);
    expect((await dashboard.get("actions")).body).toMatchObject({
      items: [{ action: "trigger", user: "ada", count: 1_200, done: 1_200 }],
    });
    const again = await dashboard.post("apply", { token, count: 1_200 });
    expect(again).toMatchObject({ status: 409, body: { code: "QUEUERT_PLAN_REFUSED" } });
  });

  it("stop after the current step when they are told to, or when the client goes away", async () => {
    for (const way of ["stop", "cancel"] as const) {
      // The second step waits until the plan has been told to stop.
      const told = new AbortController();
      const second = new AbortController();
      let steps = 0;
      const dashboard = await aDashboard({}, (adapter) => ({
        ...adapter,
        triggerJobs: async (params) => {
          if (++steps === 2) {
            second.abort();
            await once(told.signal, "abort");
          }
          return adapter.triggerJobs(params);
        },
      }));
      await startMany(dashboard, 1_200);
      const { token, count } = await plan(dashboard, {
        action: "trigger",
        filter: "status:pending",
      });
      const response = await dashboard.dashboard.fetch(
        new Request(`${origin}/queues/api/v1/apply`, {
          method: "POST",
          body: JSON.stringify({ token, count }),
          headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
        }),
      );
      const reader = response.body?.getReader();
      await reader?.read();
      if (!second.signal.aborted) await once(second.signal, "abort");
      if (way === "stop") {
        expect((await dashboard.post("stop", { token })).body).toEqual({ stopped: true });
      } else {
        await reader?.cancel();
      }
      told.abort();
      await expect
        // Equal reads share an answer for a second.
        .poll(async () => (await dashboard.get("actions")).body, { timeout: 10_000 })
        .toMatchObject({ items: [{ finishedAt: expect.any(String) }] });
      const { items } = (await dashboard.get("actions")).body as { items: { done: number }[] };
      expect(items[0]?.done).toBe(1_000);
      expect((await dashboard.post("stop", { token })).body).toEqual({ stopped: false });
    }
  });

  it("are refused without a target, for an empty filter, and with a changed token", async () => {
    const { post } = await aDashboard();
    expect((await post("plans", { action: "retry" })).status).toBe(400);
    expect((await post("plans", { action: "delete", filter: " " })).status).toBe(400);
    expect((await post("plans", { action: "burn", ids: ["a"] })).status).toBe(400);
    expect((await post("apply", { token: "a.b" })).status).toBe(409);
    expect((await post("stop", { token: "a.b" })).status).toBe(409);
  });
});

describe("single actions", () => {
  it("trigger one job, or tell why not", async () => {
    const { post, start, get } = await aDashboard();
    const id = await start("send-mail", null, { schedule: { afterMs: 60_000 } });
    expect((await post("act", { action: "retry", id })).body).toEqual({
      done: false,
      reason: "not_failed",
    });
    expect((await post("act", { action: "trigger", id })).body).toEqual({
      done: true,
      reason: null,
    });
    expect((await get(`explain?id=${id}`)).body).toMatchObject({
      reasons: [{ kind: "no_worker" }],
    });
  });

  it("pause and resume a type, as the overview and the page of the type tell", async () => {
    const { post, get } = await aDashboard();
    const pause = { action: "pause", typeName: "send-mail", note: "incident", forMs: 60_000 };
    expect((await post("act", pause)).body).toEqual({ done: true, reason: null });
    const pauses = [{ typeName: "send-mail", note: "incident" }];
    expect((await get("overview")).body).toMatchObject({ pauses });
    expect((await get("type?name=send-mail")).body).toMatchObject({ pauses, failures: [] });
    expect((await post("act", { action: "resume", typeName: "send-mail" })).status).toBe(200);
    expect((await post("act", { action: "resume" })).status).toBe(400);
    expect((await get("overview")).body).toMatchObject({ pauses: [] });
  });

  it("pause, resume and trigger a schedule", async () => {
    const { post, get, queuert } = await aDashboard();
    await queuert.upsertSchedules({
      schedules: [{ name: "daily", typeName: "report", input: { token: "x" }, cron: "@daily" }],
    });
    const name = "daily";
    expect((await post("act", { action: "pause_schedule", name })).body).toMatchObject({
      done: true,
    });
    expect((await get("schedules")).body).toMatchObject({
      items: [{ name, pausedAt: expect.any(String), input: { text: '{"token":"‹redacted›"}' } }],
    });
    expect((await post("act", { action: "resume_schedule", name })).status).toBe(200);
    expect((await post("act", { action: "trigger_schedule", name })).body).toEqual({
      done: true,
      reason: null,
    });
    expect((await post("act", { action: "trigger_schedule", name: "nightly" })).status).toBe(404);
  });
});

describe("the tree and suggestions", () => {
  it("has the jobs of a sequence", async () => {
    const { get, start } = await aDashboard();
    const id = await start("order", { items: 2 });
    expect((await get(`tree?sequence=${id}`)).body).toMatchObject({
      rootSequenceId: id,
      jobs: [{ id }],
      cutAt: null,
    });
    expect((await get("tree?sequence=absent")).status).toBe(404);
  });

  it("come from names of types and statuses, never from payloads", async () => {
    const { get, start } = await aDashboard();
    await start("send-mail", { secret: "send-me" });
    expect((await get("suggest?field=type&prefix=SEND")).body).toEqual({ values: ["send-mail"] });
    expect((await get("suggest?field=status&prefix=c")).body).toEqual({
      values: ["completed", "cancelled"],
    });
    expect((await get("suggest?field=input&prefix=s")).body).toEqual({ values: [] });
    expect((await get("suggest?field=colour")).status).toBe(400);
  });
});
