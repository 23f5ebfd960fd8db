import type { AnyStateAdapter, ExamineJobsParams, StoreCondition } from "queuert/internal";
import { InvalidFilterError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { examineJobs } from "../../src/operator/search/examine-jobs.ts";
import { anOperator } from "./a-client.ts";

describe("a search", () => {
  it("says how far it looked, and goes on from there", async () => {
    const { operator, steps } = await anOperator({ examineStep: 10 });
    const { id } = await steps.createOne({ typeName: "rare" });
    for (let index = 0; index < 25; index++) await steps.createOne();
    const pages: { examined: number; found: string[] }[] = [];
    let cursor: string | null = null;
    do {
      const page = await operator.listJobs({ filter: "type:rare", cursor });
      pages.push({ examined: page.examined, found: page.items.map((item) => item.id) });
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([
      { examined: 10, found: [] },
      { examined: 10, found: [] },
      { examined: 6, found: [id] },
    ]);
  });

  it("lists the due jobs of a type in the order of acquisition", async () => {
    const { operator, steps } = await anOperator();
    const second = await steps.createOne();
    const first = await steps.createOne({ priority: 1 });
    await steps.createOne({ typeName: "other" });
    const next = async (filter: string, more: object = {}) =>
      operator.listJobs({ order: "next", filter, ...more });
    const { items, isCut, nextCursor } = await next("type:task");
    expect(items.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect({ isCut, nextCursor }).toEqual({ isCut: false, nextCursor: null });
    expect((await next("type:task", { limit: 1 })).items).toMatchObject([{ id: first.id }]);
    for (const wrong of ["", "type:a,b", "-type:a", "type:task priority:1", "status:pending"]) {
      await expect(next(wrong), wrong).rejects.toThrow("each type has an order of its own");
    }
    await expect(next("type:task", { cursor: "x" })).rejects.toThrow(
      'the order "next" has one page',
    );
    await expect(next("type:task", { limit: 0 })).rejects.toThrow("limit");
  });

  it("gives the reason of each job", async () => {
    const { operator, steps } = await anOperator();
    await steps.createFailed({ typeName: "a" }, "Error: no");
    await steps.createOne({ typeName: "b", schedule: { afterMs: 60_000 } });
    const { items } = await operator.listJobs({ order: "asc" });
    expect(items.map(({ why }) => why.kind)).toEqual(["failed", "scheduled"]);
  });

  it("hides secrets, paths and values", async () => {
    const { open, steps } = await anOperator({ redact: { mail: ["to", "items[*].price"] } });
    const input = JSON.stringify({
      ...{ to: "ada", password: "x", card: "4111", items: [{ price: 1, name: "n" }] },
    });
    await steps.createOne({ typeName: "mail", input });
    const shown = async (payloads: "masked" | "redacted" | "raw") =>
      (await open().listJobs({ payloads })).items[0]?.input.text;
    expect(await shown("raw")).toBe(input);
    expect(JSON.parse((await shown("redacted")) ?? "")).toEqual({
      to: "‹redacted›",
      password: "‹redacted›",
      card: "‹redacted›",
      items: [{ price: "‹redacted›", name: "n" }],
    });
    expect(JSON.parse((await shown("masked")) ?? "")).toEqual({
      to: "‹string 3›",
      password: "‹string 1›",
      card: "‹string 4›",
      items: [{ price: "‹number›", name: "‹string 1›" }, "‹1 in all›"],
    });
  });

  it("does not tell hidden values by a match", async () => {
    const { open, steps } = await anOperator({ redact: { mail: ["to"] } });
    await steps.createOne({ typeName: "mail", input: '{"to":"ada","from":"bob"}' });
    const count = async (filter: string, payloads?: "masked" | "raw") =>
      (await open().listJobs({ filter, payloads })).items.length;
    expect(await count("input:bob")).toBe(1);
    expect(await count("input:ada")).toBe(0);
    expect(await count("-input:ada")).toBe(1);
    expect(await count("ada")).toBe(0);
    expect(await count("input:ada", "raw")).toBe(1);
    expect(await count("input.from:bob")).toBe(1);
    for (const filter of ["input.to:ada", "input.password:x", "input.to.deep:1"]) {
      await expect(count(filter)).rejects.toThrow(InvalidFilterError);
    }
    for (const filter of ["input:bob", "input.from:bob", "bob"]) {
      await expect(count(filter, "masked")).rejects.toThrow(InvalidFilterError);
    }
  });

  it("groups failures by cause", async () => {
    const { operator, steps } = await anOperator();
    for (const order of [17, 18, 19]) {
      await steps.createFailed({ typeName: "pay" }, `Error: order ${order} of "x${order}" is late`);
    }
    await steps.createFailed({ typeName: "pay" }, "TypeError: cannot read");
    const { groups, count } = await operator.listFailures();
    expect(count).toBe(4);
    expect(groups.map(({ cause, count: size }) => [cause, size])).toEqual([
      ["Error: order # of # is late", 3],
      ["TypeError: cannot read", 1],
    ]);
    const { items } = await operator.listJobs({ filter: groups[0]?.filter ?? "" });
    expect(items).toHaveLength(3);
  });

  it("gives an overview without counting finished jobs", async () => {
    const { operator, steps, clock, live } = await anOperator();
    await live(["c"], { beatMs: 1e9 });
    await steps.createCompleted({ typeName: "done" });
    const failed = await steps.createFailed({ typeName: "a" });
    await steps.createBlocked([failed], { typeName: "b" });
    await steps.createOne({ typeName: "c" });
    clock.ms += 6 * 60_000;
    const { totals, attention, types } = await operator.getOverview();
    expect(totals).toMatchObject({ pending: 1, blocked: 1, failed: 1, oldestDueMs: 360_000 });
    expect(attention.map(({ kind }) => kind)).toEqual(["blocked_by_failed", "overdue"]);
    expect(types.map(({ typeName }) => typeName)).toEqual(["a", "b", "c"]);
  });

  it("lists workers, and two of one name", async () => {
    const { operator, live, clock } = await anOperator();
    await live(["a"], { instanceId: "1", workerId: "mailer" });
    await live(["a"], { instanceId: "2", workerId: "mailer" });
    await live(["a"], { instanceId: "3", workerId: "other", state: "stopped" });
    const seen = async () =>
      (await operator.listWorkers()).map(({ presence, isNameTaken }) => [presence, isNameTaken]);
    expect(await seen()).toEqual([
      ["online", true],
      ["online", true],
      ["gone", false],
    ]);
    clock.ms += 10 * 60_000;
    expect((await seen()).flat()).not.toContain(true);
  });

  it("refuses bad options and cursors", async () => {
    const { operator } = await anOperator();
    for (const options of [{ limit: 0 }, { order: "up" }, { filtre: "x" }, { payloads: "all" }]) {
      await expect(operator.listJobs(options as never)).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
    await expect(operator.listJobs({ cursor: "x" })).rejects.toMatchObject({
      code: "QUEUERT_INVALID_CURSOR",
    });
  });
});

describe("the steps of a search", () => {
  const status = (...anyOf: ("failed" | "blocked" | "running" | "pending")[]): StoreCondition => ({
    field: "status",
    anyOf,
    negated: false,
  });
  const type = { field: "text", of: "typeName", anyOf: ["absent"], negated: false } as const;
  it.each([
    ["of failed jobs", status("failed"), [20_000, 80_000]],
    ["of blocked and running jobs", status("blocked", "running"), [20_000, 80_000]],
    ["of pending jobs", status("pending", "failed"), [2_000, 98_000]],
    ["of a type", type, [2_000, 8_000, 32_000, 58_000]],
  ] as const)("%s grow until the page is full", async (_, condition, sizes) => {
    const asked: number[] = [];
    const examine = async ({ examineMax }: ExamineJobsParams) => {
      asked.push(examineMax);
      return { jobs: [], examined: examineMax, examinedTo: 1 };
    };
    const state = { operator: { examineJobs: examine } } as unknown as AnyStateAdapter;
    const page = { order: "desc", limit: 50, afterOrdinal: null, ordinalMax: null } as const;
    const params = { ...page, conditions: [condition], examineMax: 100_000 };
    expect(await examineJobs(state, params, new Date())).toMatchObject({ examined: 100_000 });
    expect(asked).toEqual(sizes);
  });
});
