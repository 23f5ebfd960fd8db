import { expect } from "vitest";
import type { JsonValue } from "../../job-types/json.ts";
import type { Completion } from "../../public-types/process.ts";
import { thirtyDaysMs } from "../factories.ts";
import { eventually, graceMs, sleep } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements } from "./intercept-state.ts";

/** Runs everything that is due, one after the other; answers the inputs in the order in which they ran. */
const runInOrder = async (client: BehaviourClient, count: number): Promise<JsonValue[]> => {
  const order: JsonValue[] = [];
  await client.work(
    {
      task: async ({ job, complete }) => {
        order.push(job.input);
        return complete(null);
      },
    },
    { concurrency: 1 },
  );
  await eventually(
    () => Promise.resolve(order.length === count ? true : undefined),
    `${count} jobs to run`,
  );
  return order;
};

const hourMs = 3_600_000;

type Complete = (output: JsonValue) => Promise<Completion>;

const ranAfterMs = async (client: BehaviourClient, id: string): Promise<number> => {
  const job = await client.job({ id });
  return (job.lastAttemptAt?.getTime() ?? 0) - job.scheduledAt.getTime();
};

export const schedulingSuite: BehaviourSuite = defineBehaviourSuite("scheduling", (rule) => {
  rule(
    "a job runs when its delay is over, not before, with any poll interval",
    async ({ open }) => {
      const client = await open();
      const started = await client.start("task", { schedule: { afterMs: 150 } });
      const { createdAt, scheduledAt } = await client.job(started);
      expect(scheduledAt.getTime() - createdAt.getTime()).toBeGreaterThanOrEqual(149);
      // Started after the job was stored, the worker learns of it with its first look.
      await client.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: 60_000 },
      );
      // In less time than a poll takes.
      await client.until(started);
      expect(await ranAfterMs(client, started.id)).toBeGreaterThanOrEqual(0);
    },
  );

  rule("a job runs at its instant, not before", async ({ open }) => {
    const client = await open();
    const { createdAt } = await client.start("task");
    const at = new Date(createdAt.getTime() + 200);
    const started = await client.start("other", { schedule: { at } });
    await client.work(
      { other: async ({ complete }) => complete(null) },
      { pollIntervalMs: 60_000 },
    );
    await client.until(started);
    expect((await client.job(started)).scheduledAt).toEqual(at);
    expect(await ranAfterMs(client, started.id)).toBeGreaterThanOrEqual(0);
  });

  rule("an instant in the past is due at once", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { schedule: { at: new Date(0) } });
    await client.work({ task: async ({ complete }) => complete(null) });
    await client.until(started);
    expect((await client.job(started)).scheduledAt).toEqual(new Date(0));
  });

  rule(
    "a job due in thirty days or a hundred years neither fires nor keeps the worker busy",
    async (context) => {
      const { open, stateAdapter } = context;
      const { adapter, counts } = countStatements(stateAdapter);
      const client = await open();
      const far = [
        await client.start("task", { schedule: { afterMs: thirtyDaysMs } }),
        await client.start("task", { schedule: { afterMs: 100 * 365 * 86_400_000 } }),
        await client.start("task", { schedule: { at: new Date("9999-12-01T00:00:00Z") } }),
      ];
      const worker = await open({ stateAdapter: adapter });
      await worker.work(
        { task: async ({ complete }) => complete("too soon") },
        { pollIntervalMs: 60_000 },
      );
      const looks = () => counts.get("acquireJobs") ?? 0;
      await eventually(() => Promise.resolve(looks() > 0 ? true : undefined), "the first look");
      // A timer that overflowed would fire at once, over and over.
      await sleep(graceMs);
      expect(looks()).toBeLessThanOrEqual(2);
      for (const one of far) {
        expect(await client.job(one)).toMatchObject({ status: "pending", attempt: 0 });
      }
    },
  );

  rule(
    "higher priority runs first, then the earlier due time, then the earlier creation",
    async ({ open }) => {
      const client = await open();
      const at = (seconds: number) => ({ schedule: { at: new Date(seconds * 1_000) } });
      await client.queuert.transaction(async (tx) => {
        const start = (input: string, options: object) =>
          client.startIn(tx, "task", { input, ...options });
        await start("low", { priority: -1, ...at(1) });
        await start("normal, second", at(20));
        await start("normal, first", at(10));
        await start("normal, third a", at(30));
        await start("normal, third b", at(30));
        await start("high, later", { priority: 7, ...at(40) });
        await start("high, earlier", { priority: 7, ...at(5) });
      });
      expect(await runInOrder(client, 7)).toEqual([
        "high, earlier",
        "high, later",
        "normal, first",
        "normal, second",
        "normal, third a",
        "normal, third b",
        "low",
      ]);
    },
  );

  rule(
    "jobs of one transaction and one millisecond run in the order of their creation",
    async ({ open }) => {
      const client = await open();
      await client.queuert.transaction(async (tx) => {
        await client.queuert.startJobSequences({
          ...tx,
          sequences: Array.from(
            { length: 30 },
            (_, input) => ({ typeName: "task", input }) as const,
          ),
        });
        for (let input = 30; input < 40; input += 1) await client.startIn(tx, "task", { input });
      });
      expect(await runInOrder(client, 40)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    },
  );

  rule("a job that was handed back keeps its place in the order", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 6 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    const first = await client.work(
      {
        task: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      },
      { concurrency: 1 },
    );
    await held.arrived();
    held.open();
    await first.stop();
    const left = (await client.queuert.listJobs({ status: "pending", order: "asc" })).items;
    expect(await runInOrder(client, left.length)).toEqual(left.map(({ input }) => input));
  });

  rule("a blocked job keeps its schedule", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task");
    const waiting = await client.start("waiting", {
      schedule: { afterMs: 3_600_000 },
      startBlockers: () => Promise.resolve([blocker]),
    });
    await client.work({
      task: async ({ complete }) => complete(null),
      waiting: async ({ complete }) => complete("too soon"),
    });
    const released = await client.untilJob(waiting, "pending");
    expect(released.scheduledAt.getTime() - released.createdAt.getTime()).toBeGreaterThan(
      3_500_000,
    );
    expect(released.attempt).toBe(0);
  });

  for (const [says, clockAheadMs] of [
    ["ahead", hourMs],
    ["behind", -hourMs],
  ] as const) {
    rule(
      `a worker whose clock is an hour ${says} runs nothing early, and neither takes nor loses a lease`,
      async ({ open, gate }) => {
        const right = await open();
        const wrong = await open({ clockAheadMs });
        const held = gate();
        const process = async (by: BehaviourClient, complete: Complete) => {
          await held.pass();
          return complete(by === right ? "right" : "wrong");
        };
        const taken = await right.start("task");
        await right.work(
          { task: ({ complete }) => process(right, complete) },
          { concurrency: 1, prefetch: 0 },
        );
        await held.arrived();
        const delayed = await wrong.start("task", { schedule: { afterMs: 200 } });
        const { createdAt, scheduledAt } = await right.job(delayed);
        expect(scheduledAt.getTime() - createdAt.getTime()).toBeLessThan(10_000);
        const leaseConfig = { leaseMs: 500, renewIntervalMs: 40 };
        await wrong.work({
          task: { leaseConfig, process: ({ complete }) => process(wrong, complete) },
        });
        await held.arrived(2);
        expect(await ranAfterMs(right, delayed.id)).toBeGreaterThanOrEqual(0);
        const begunAt = (await right.job(delayed)).lastAttemptAt?.getTime() ?? 0;
        await eventually(async () => {
          const job = await right.job(delayed);
          return job.status === "running" && job.leasedUntil.getTime() > begunAt + 1_000
            ? true
            : undefined;
        }, "a lease that was renewed for longer than it would have lasted");
        held.open();
        expect(await right.until(taken)).toMatchObject({ output: "right" });
        expect(await right.until(delayed)).toMatchObject({ output: "wrong" });
        expect(await right.job(delayed)).toMatchObject({ attempt: 1 });
        expect([...right.events.of("jobReaped"), ...wrong.events.of("jobReaped")]).toEqual([]);
      },
    );
  }
});
