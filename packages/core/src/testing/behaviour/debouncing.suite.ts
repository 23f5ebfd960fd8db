import { expect } from "vitest";
import { graceMs, settlesWithin, within } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

const hourMs = 3_600_000;

const debounce = (
  client: BehaviourClient,
  input: number,
  options: object = { replaces: true, maxWaitMs: hourMs },
  schedule: { readonly afterMs: number } = { afterMs: 1_000 },
) =>
  client.start("task", {
    ...{ input, schedule },
    deduplication: { key: "doc", strategy: "pending", ...options },
  });

export const debouncingSuite: BehaviourSuite = defineBehaviourSuite("debouncing", (rule) => {
  rule("many starts run once, with the last input, within the longest wait", async ({ open }) => {
    const client = await open();
    const first = await debounce(client, 1, { replaces: true, maxWaitMs: 500 });
    expect(first).toMatchObject({ deduplicated: false, replaced: false });
    for (const input of [2, 3]) {
      const again = await debounce(client, input, { replaces: true, maxWaitMs: 500 });
      expect(again).toMatchObject({ id: first.id, deduplicated: true, replaced: true, input });
    }
    const job = await client.job(first);
    expect(job.scheduledAt.getTime() - job.createdAt.getTime()).toBe(500);
    const inputs: unknown[] = [];
    await client.work({
      task: async ({ job: { input }, complete }) => {
        inputs.push(input);
        return complete(null);
      },
    });
    await client.until(first);
    expect(inputs).toEqual([3]);
  });

  rule("one waits beside those that run", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const inputs: unknown[] = [];
    const first = await debounce(client, 1, {}, { afterMs: 0 });
    await client.work({
      task: async ({ job, complete }) => {
        inputs.push(job.input);
        if (job.input === 1) await held.pass();
        return complete(null);
      },
    });
    await held.arrived();
    const second = await debounce(client, 2, undefined, { afterMs: hourMs });
    expect(second).toMatchObject({ deduplicated: false });
    expect(await debounce(client, 3, undefined, { afterMs: hourMs })).toMatchObject({
      id: second.id,
      deduplicated: true,
    });
    held.open();
    await client.until(first);
    await client.queuert.triggerJobs({ ids: [second.id] });
    await client.until(second);
    expect(inputs).toEqual([1, 3]);
  });

  rule("only the named fields are replaced", async ({ open }) => {
    const client = await open();
    const first = await debounce(client, 1, {}, { afterMs: hourMs });
    const { scheduledAt } = await client.job(first);
    expect(await debounce(client, 2, {})).toMatchObject({ deduplicated: true, replaced: false });
    expect(await client.job(first)).toMatchObject({ input: 1, scheduledAt });
    await debounce(client, 3, { replaces: ["input"] });
    expect(await client.job(first)).toMatchObject({ input: 3, scheduledAt });
    await debounce(client, 4, { replaces: ["schedule"] });
    const moved = await client.job(first);
    expect(moved.input).toBe(3);
    expect(moved.scheduledAt.getTime()).toBeLessThan(scheduledAt.getTime());
  });

  rule("of two starts of one call, the last counts", async ({ open }) => {
    const client = await open();
    const deduplication = { key: "doc", strategy: "pending", replaces: true } as const;
    const sequences = [1, 2].map((input) => ({
      ...{ typeName: "task" as const, input, deduplication, schedule: { afterMs: hourMs } },
    }));
    const [first, second] = await client.transact((context) =>
      client.queuert.startJobSequences({ ...context, sequences }),
    );
    expect(first?.replaced).toBe(false);
    expect(second).toMatchObject({ id: first?.id, deduplicated: true, replaced: true });
    expect(await client.job({ id: first?.id ?? "" })).toMatchObject({ input: 2 });
  });

  rule("a rolled back replacement changes nothing", async ({ open }) => {
    const client = await open();
    const first = await debounce(client, 1, {}, { afterMs: hourMs });
    const before = await client.job(first);
    const rollBack = new Error("rolled back on purpose");
    const transaction = client.queuert.transaction(async (tx) => {
      await client.startIn(tx, "task", {
        input: 2,
        deduplication: { key: "doc", strategy: "pending", replaces: true },
      });
      throw rollBack;
    });
    expect(await rejection(transaction)).toBe(rollBack);
    expect(await client.job(first)).toEqual(before);
  });

  rule("a job that begins before its replacement is left, and another is stored", async (test) => {
    const [client, starting, held] = [await test.open(), test.gate(), test.gate()];
    const first = await debounce(client, 1, {}, { afterMs: 0 });
    let isHeld = true;
    const other = await test.openSecond({
      stateAdapter: interceptState(test.secondStateAdapter, {
        // The start has found the waiting job.
        before: async (operation) => {
          if (operation === "updateJobs" && isHeld) await starting.pass();
        },
      }),
    });
    const started = debounce(other, 2, undefined, { afterMs: 0 });
    started.catch(() => undefined);
    await starting.arrived();
    const inputs: unknown[] = [];
    await client.work({
      task: async ({ job, complete }) => {
        inputs.push(job.input);
        if (job.input === 1) await held.pass();
        return complete(null);
      },
    });
    // A store with one writer, or with snapshots, lets the worker wait or the start begin again.
    const hasBegun = await settlesWithin(held.arrived(), 10 * graceMs);
    isHeld = false;
    starting.open();
    const second = await within(started, "the start");
    held.open();
    await client.until(second);
    await client.until(first);
    expect(inputs).toEqual(second.id === first.id ? [2] : [1, 2]);
    if (hasBegun) expect(second.id).not.toBe(first.id);
  });

  rule("updateJobs changes jobs that do not run, and says why it does not", async (test) => {
    const { open, gate } = test;
    const client = await open();
    const held = gate();
    const waiting = await client.start("task", { input: 1, schedule: { afterMs: hourMs } });
    const running = await client.start("other");
    await client.work({
      task: async ({ job, complete }) => complete(job.input),
      other: async ({ complete }) => {
        await held.pass();
        return complete(null);
      },
    });
    await held.arrived();
    const results = await client.transact((context) =>
      client.queuert.updateJobs({
        ...context,
        jobs: [
          { id: waiting.id, typeName: "task", input: 2, schedule: { afterMs: 0 }, priority: 5 },
          { id: running.id, typeName: "other", input: 2 },
        ],
      }),
    );
    expect(results).toEqual([
      { id: waiting.id, updated: true },
      { id: running.id, updated: false, reason: "not_updatable" },
    ]);
    expect(await client.until(waiting)).toMatchObject({ output: 2 });
    const other = [{ id: waiting.id, typeName: "other" as const, input: 3 }];
    expect(await client.queuert.updateJobs({ jobs: other })).toEqual([
      { id: waiting.id, updated: false, reason: "other_type" },
    ]);
    held.open();
  });

  rule("a poison input is repaired before its retry", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: "poison" });
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) => {
          if (job.input === "poison") throw new Error("broken on purpose");
          return complete(job.input);
        },
      },
    });
    await client.until(started, "failed");
    const { queuert } = client;
    await queuert.updateJobs({ jobs: [{ id: started.id, typeName: "task", input: "cure" }] });
    await queuert.retryFailedJobs({ ids: [started.id] });
    expect(await client.until(started)).toMatchObject({ output: "cure" });
  });

  rule("bad options are refused before anything is stored", async ({ open }) => {
    const client = await open();
    const refused = { code: "QUEUERT_INVALID_OPTION" };
    for (const options of [
      { replaces: "input" },
      { replaces: ["status"] },
      { strategy: "completed", replaces: true },
      { maxWaitMs: 1_000 },
      { replaces: ["input"], maxWaitMs: 1_000 },
      { replaces: true, maxWaitMs: -1 },
      { whenTaken: "cancel" },
    ]) {
      expect(await rejection(debounce(client, 1, options))).toMatchObject(refused);
    }
    const job = await client.start("task", { schedule: { afterMs: hourMs } });
    const named = { id: job.id, typeName: "task" } as const;
    for (const jobs of [
      "x",
      [{ id: 7, typeName: "task" }],
      [{ ...named, priority: 1e9 }],
      [named, named],
    ]) {
      const update = client.queuert.updateJobs({ jobs: jobs as never });
      expect(await rejection(update)).toMatchObject({
        code: expect.stringMatching(/^QUEUERT_/) as string,
      });
    }
    const { items } = await client.queuert.listJobs();
    expect(items.map(({ id }) => id)).toEqual([job.id]);
  });
});
