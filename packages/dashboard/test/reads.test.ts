import { describe, expect, it } from "vitest";
import { aDashboard } from "./a-dashboard.ts";

describe("the reads of the API", () => {
  it("tells the person, the rights and the parts of the store", async () => {
    const { get } = await aDashboard({ environment: "production", storeName: "main" });
    const { status, body } = await get("session");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: "ada",
      can: expect.arrayContaining(["read", "delete"]),
      features: { workers: true, attempts: true, actions: true },
      store: { name: "main" },
      environment: "production",
      terms: expect.arrayContaining([expect.objectContaining({ name: "status" })]),
    });
  });

  it("shows the overview, and a list with chips and reasons", async () => {
    const { get, start } = await aDashboard();
    const id = await start("send-mail", { to: "ada@example.com", password: "s3cret" });
    expect((await get("overview")).body).toMatchObject({
      totals: { pending: 1 },
      types: [{ typeName: "send-mail" }],
    });
    expect((await get("jobs?q=type:send-mail&limit=5")).body).toMatchObject({
      items: [{ id, why: { kind: "no_worker" }, input: { text: expect.stringContaining("ada@") } }],
      nextCursor: null,
      parsed: [{ name: "type", text: "type:send-mail", cost: "examined" }],
    });
  });

  it("shows one job, its payload in pieces, and its explanation", async () => {
    const links = (): readonly { label: string; href: string }[] => [
      { label: "order", href: "https://app.example.com/orders/17" },
    ];
    const { get, start } = await aDashboard({ links });
    const id = await start("resize", { text: "é".repeat(300_000) });
    const job = (await get(`job?id=${id}`)).body as { job: { input: { text: string } } };
    expect(job).toMatchObject({ job: { id, attempts: [] }, links: [{ label: "order" }] });
    expect(job.job.input.text).toHaveLength(4_000);
    const first = (await get(`payload?id=${id}&field=input`)).body as { nextOffset: number };
    expect(first).toMatchObject({ nextOffset: 250_000, length: 300_011 });
    const rest = await get(`payload?id=${id}&field=input&offset=${first.nextOffset}`);
    expect(rest.body).toMatchObject({ nextOffset: null, text: expect.stringMatching(/é"}$/) });
    expect((await get(`payload?id=${id}&field=output`)).status).toBe(404);
    expect((await get(`explain?id=${id}`)).body).toMatchObject({ jobId: id, verdict: "stuck" });
  });

  it("answers 404 for a job that does not exist, and 400 with the place of a mistake", async () => {
    const { get } = await aDashboard();
    expect((await get("job?id=nothing")).status).toBe(404);
    expect(await get("jobs?q=status:open%20color:red")).toMatchObject({ status: 400 });
    expect((await get("jobs?q=color:red")).body).toMatchObject({
      code: "QUEUERT_INVALID_FILTER",
      detail: { position: 0, length: 5 },
    });
    for (const path of ["jobs?limit=x", "jobs?limit=5000", "jobs?cursor=x", "jobs?order=up"]) {
      expect([path, (await get(path)).status]).toEqual([path, 400]);
    }
    expect((await get("jobs?q=a&q=b")).status).toBe(400);
    expect((await get("jobs?colour=red")).status).toBe(400);
    expect((await get("nothing")).status).toBe(404);
  });

  it("does not send an unchanged answer again", async () => {
    const { get, start } = await aDashboard();
    await start("send-mail", null, { schedule: { afterMs: 60_000 } });
    const first = await get("failures");
    const etag = first.headers.get("etag") ?? "";
    expect(await get("failures", { "if-none-match": etag })).toMatchObject({
      status: 304,
      text: "",
    });
  });

  it("groups failures, and lists workers and actions", async () => {
    const { get } = await aDashboard();
    expect((await get("failures")).body).toMatchObject({ groups: [], count: 0 });
    expect((await get("workers")).body).toEqual({ items: [] });
    expect((await get("actions")).body).toEqual({ items: [] });
  });
});
