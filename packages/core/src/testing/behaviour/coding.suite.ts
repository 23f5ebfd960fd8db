import { expect } from "vitest";
import type { JsonValue } from "../../job-types/json.ts";
import { createOperator } from "../../operator/create-operator.ts";
import { compress } from "../../payloads/compress.ts";
import { encrypt } from "../../payloads/encrypt.ts";
import { richJson } from "../../payloads/rich-json.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { behaviourJobTypes, cataloguedJobTypes } from "./definitions.ts";

const payloads = { codec: richJson() };
const jobTypes = { ...behaviourJobTypes, isCoded: true } as const;
const coded = { payloads, jobTypes } as const;

// The types of the cases are those of JSON.
const asJson = (value: unknown): JsonValue => value as JsonValue;

const rich = asJson({
  at: new Date("2026-11-19T08:00:00.000Z"),
  amount: 12_345_678_901_234_567_890n,
  tags: new Set(["a", undefined, Number.NaN]),
  byKey: new Map<unknown, unknown>([
    ["__proto__", [-0]],
    [new Date(0), new Map([[1, new Set([2n])]])],
  ]),
  bytes: new Uint8Array([0, 255]),
  site: new URL("https://example.com/a?b=1"),
  pattern: /a+/giu,
  query: { $date: "not one" },
});

export const codingSuite: BehaviourSuite = defineBehaviourSuite("coding", (rule) => {
  rule("values that JSON lacks reach every reader as they were", async ({ open }) => {
    const client = await open(coded);
    const sequence = await client.transact((tx) =>
      client.startIn(tx, "waiting", {
        input: rich,
        startBlockers: async ({ job }) => {
          expect(job.input).toEqual(rich);
          await client.queuert.sendSignals({
            ...tx,
            signals: [{ typeName: "approval", key: "k", payload: rich }],
          });
          const signal = await client.queuert.expectSignal({
            ...tx,
            typeName: "approval",
            key: "k",
          });
          return [await client.startIn(tx, "first", { input: rich }), signal];
        },
      }),
    );
    expect(sequence.input).toEqual(rich);
    await client.work({
      first: ({ job, complete }) => complete.continueWith({ typeName: "next", input: job.input }),
      next: ({ job, complete }) => complete(async () => job.input),
      waiting: ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
    });
    const done = await client.until(sequence);
    expect(done).toMatchObject({ input: rich, output: [rich, rich] });
    const job = await client.job(sequence);
    expect(job).toMatchObject({ output: [rich, rich], blockers: [{ output: rich }, {}] });
    const { items } = await client.queuert.listJobs({ typeName: "next" });
    expect(items).toMatchObject([{ input: rich, output: rich }]);
  });

  rule("new inputs, and those of schedules, are written and read by it", async ({ open }) => {
    const client = await open(coded);
    const { id } = await client.start("task", { schedule: { afterMs: 60_000 } });
    const jobs = [{ id, typeName: "task", input: rich }] as const;
    await client.transact((tx) => client.queuert.updateJobs({ ...tx, jobs }));
    expect(await client.job({ id })).toMatchObject({ input: rich });
    const [schedule] = await client.transact((tx) =>
      client.queuert.upsertSchedules({
        ...tx,
        schedules: [{ name: "s", typeName: "task", everyMs: 60_000, input: rich }],
      }),
    );
    expect(schedule?.input).toEqual(rich);
    const { items } = await client.queuert.listSchedules();
    expect(items).toMatchObject([{ input: rich }]);
    const shown = await createOperator({ queuert: client.queuert }).listSchedules();
    expect(shown.items[0]?.input.text).toContain('"$bigint":"12345678901234567890"');
  });

  rule("a text without such values is plain JSON, and plain JSON is read", async (c) => {
    const [plain, client] = [await c.open(), await c.open(coded)];
    const input = { a: [1, null, { $gt: 1 }], b: '{"$date":1}' };
    const [before, after] = [
      await plain.start("task", { input }),
      await client.start("task", { input: { a: input.a } }),
    ];
    expect(await client.job(before)).toMatchObject({ input });
    const [, stored] = await c.stateAdapter.getJobs({ ids: [before.id, after.id] });
    expect(JSON.parse(stored?.input ?? "")).toEqual({ a: [1, null, { $object: { $gt: 1 } }] });
    expect(await client.job(after)).toMatchObject({ input: { a: input.a } });
  });

  rule("a value that it refuses is named by its path, and nothing is stored", async ({ open }) => {
    const client = await open(coded);
    const cyclic = new Map<string, unknown>();
    cyclic.set("self", [cyclic]);
    class Money {
      readonly cents = 1;
    }
    const cases: readonly (readonly [unknown, string])[] = [
      [{ price: new Money() }, "$.price is an instance of Money"],
      [cyclic, "$[0][0] is a cycle"],
      [[new Set([() => 1])], "$[0][0] is a function"],
      [{ "odd key": Symbol("s") }, '$["odd key"] is a symbol'],
    ];
    for (const [input, reason] of cases) {
      const start = client.start("task", { input: asJson(input) });
      await expect(start).rejects.toMatchObject({
        code: "QUEUERT_PAYLOAD_CODEC",
        ...{ typeName: "task", part: "input" },
        message: expect.stringContaining(reason),
      });
    }
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a text that it cannot read fails the attempt of its job alone", async ({ open }) => {
    const parse = (text: string): unknown => {
      if (text.includes("secret")) throw new Error(text);
      return payloads.codec.parse(text);
    };
    const broken = { ...payloads.codec, parse };
    const client = await open({ jobTypes, payloads: { codec: broken } });
    const bad = await client.start("task", { schedule: { afterMs: 60_000 } });
    const good = await client.start("task", { input: rich });
    const jobs = [
      { id: bad.id, typeName: "task", input: "secret", schedule: { afterMs: 0 } },
    ] as const;
    await client.transact((tx) => client.queuert.updateJobs({ ...tx, jobs }));
    const retryConfig = { maxAttempts: 1 };
    await client.work({
      task: { retryConfig, process: async ({ job, complete }) => complete(job.input) },
    });
    expect(await client.until(good)).toMatchObject({ output: rich });
    const failed = await client.events.until("jobAttemptFailed", ({ id }) => id === bad.id);
    expect(failed).toMatchObject({ error: { code: "QUEUERT_BROKEN_PAYLOAD" } });
    expect(String((failed as { error?: unknown }).error)).not.toContain("secret");
  });

  rule("transforms work on its texts, and upcasts on its values", async (c) => {
    const keys = { current: "k", byId: { k: new Uint8Array(32).fill(3) } };
    const transforms = [compress({ aboveBytes: 0 }), encrypt({ keys })];
    const isOld = (value: unknown): value is Date => value instanceof Date;
    const schemaOf = (accepts: (value: unknown) => boolean) => ({
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: (value: unknown) =>
          accepts(value) ? { value } : { issues: [{ message: "refused" }] },
      },
    });
    const task = {
      entry: true,
      input: schemaOf((value) => value instanceof Map),
      upcast: [{ from: schemaOf(isOld), to: (at: unknown) => new Map([["at", at]]) }],
    };
    const options = { payloads: { ...payloads, transforms } };
    const before = await c.open({ ...options, jobTypes });
    const at = new Date(1_000);
    const { id } = await before.start("task", { input: asJson(at) });
    const [stored] = await c.stateAdapter.getJobs({ ids: [id] });
    expect(stored?.input).toMatch(/^q1:(gz\+)?enc\.k:/);
    const catalogue = { ...cataloguedJobTypes.catalogue, task };
    const client = await c.open({ ...options, jobTypes: { catalogue, isCoded: true } as never });
    expect((await client.job({ id })).input).toEqual(new Map([["at", at]]));
    await client.work({ task: async ({ job, complete }) => complete(job.input) });
    expect(await client.until({ id })).toMatchObject({ output: new Map([["at", at]]) });
  });

  rule("secret keys of a Map are hidden from operators", async ({ open }) => {
    const client = await open(coded);
    const input = asJson(new Map([["password", "hunter2"]]));
    const { id } = await client.start("task", { input });
    const shown = await createOperator({ queuert: client.queuert }).getJob({ id });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });
});
