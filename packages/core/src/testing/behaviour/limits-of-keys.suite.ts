import { expect } from "vitest";
import { rescheduleJob } from "../../lifecycle/request-reschedule.ts";
import type { LimitsOptions } from "../../queuert-types.ts";
import { deadlineMs, eventually, sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import type { BehaviourDefinitions } from "./definitions.ts";
import { interceptState, type StateOperation } from "./intercept-state.ts";
import { customerOf, onePerCustomer } from "./one-per-customer.ts";

/** Long enough for a job that must not begin. */
const quietMs = 150;
const farMs = 3_600_000;
// With a look each second, the last of so many jobs would end behind the deadline of `until`.
const jobsPastTimeout = deadlineMs / 1_000 + 5;

export const limitsOfKeysSuite: BehaviourSuite = defineBehaviourSuite("limits of keys", (rule) => {
  rule("one job of a customer runs at a time, over two processes", async (test) => {
    const { open, openSecond } = test;
    const client = await open({ limits: onePerCustomer });
    const second = await openSecond({ limits: onePerCustomer });
    const running = new Map<string, number>();
    let most = 0;
    let together = 0;
    const run = async (customer: string): Promise<void> => {
      const count = (running.get(customer) ?? 0) + 1;
      running.set(customer, count);
      most = Math.max(most, count);
      together = Math.max(together, [...running.values()].filter((one) => one > 0).length);
      await sleep(10);
      running.set(customer, count - 1);
    };
    const started = [];
    for (let index = 0; index < 12; index++) {
      started.push(await client.start("task", { input: { customer: `c${index % 3}` } }));
    }
    for (const one of [client, second]) {
      await one.work(
        { task: async ({ job, complete }) => run(customerOf(job)).then(() => complete(null)) },
        { concurrency: 5 },
      );
    }
    for (const job of started) await client.until(job);
    expect(most).toBe(1);
    expect(together).toBeGreaterThan(1);
  });

  rule("the end of a job lets the next of its key start without a poll", async ({ open }) => {
    const client = await open({ limits: onePerCustomer });
    const started = [];
    for (let index = 0; index < jobsPastTimeout; index++) {
      started.push(await client.start("task", { input: { customer: "one" } }));
    }
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, concurrency: 5 },
    );
    await client.until(started.at(-1) ?? { id: "" });
  });

  rule("types share a limit of another name", async ({ open, gate }) => {
    const limits: LimitsOptions<BehaviourDefinitions> = {
      declared: { crm: { concurrency: 2 } },
      jobTypes: { task: { limit: "crm" }, other: { limit: "crm" } },
    };
    const client = await open({ limits });
    const held = gate();
    let running = 0;
    const started = [];
    for (let index = 0; index < 3; index++) {
      started.push(await client.start("task"), await client.start("other"));
    }
    const run = async (): Promise<void> => {
      running++;
      await held.pass();
      running--;
    };
    await client.work(
      {
        task: async ({ complete }) => run().then(() => complete(null)),
        other: async ({ complete }) => run().then(() => complete(null)),
      },
      { concurrency: 6 },
    );
    await held.arrived();
    await sleep(quietMs);
    expect(running).toBe(2);
    expect(await client.queuert.getLimits()).toMatchObject([{ name: "crm", running: 2 }]);
    held.open();
    for (const job of started) await client.until(job);
  });

  rule("rescheduleJob with pauses holds all jobs of the key back", async ({ open }) => {
    const client = await open({ limits: onePerCustomer });
    const ran: string[] = [];
    const busy = await client.start("task", { input: { customer: "busy" } });
    const waiting = await client.start("task", { input: { customer: "busy" } });
    await client.work({
      task: async ({ job, complete }) => {
        ran.push(job.id);
        if (job.id === busy.id) rescheduleJob({ afterMs: farMs, pauses: "key" });
        return complete(null);
      },
    });
    const free = await client.start("task", { input: { customer: "free" } });
    await client.until(free);
    await sleep(quietMs);
    expect(ran.filter((id) => id === waiting.id)).toEqual([]);
    expect(await client.queuert.getLimitKeys({ limit: "task" })).toMatchObject([
      { limit: "task", key: "busy", isPaused: true, running: 0, pending: 2 },
    ]);
    expect(await client.queuert.resume({ limit: "task", keys: ["busy", "free"] })).toEqual({
      resumed: 1,
    });
    await client.until(waiting);
  });

  rule(
    "rescheduleJob pauses the limit for all types that share it",
    async ({ open, openSecond }) => {
      const limits: LimitsOptions<BehaviourDefinitions> = {
        declared: { crm: {} },
        jobTypes: { task: { limit: "crm" }, other: { limit: "crm" } },
      };
      const client = await open({ limits });
      const second = await openSecond({ limits });
      await client.start("task");
      await client.work({
        task: async () => rescheduleJob({ afterMs: farMs, pauses: "limit" }),
      });
      await eventually(async () => (await client.queuert.getPauses())[0], "the pause");
      const waiting = await client.start("other");
      await second.work({ other: async ({ complete }) => complete(null) });
      await sleep(quietMs);
      expect((await client.job(waiting)).status).toBe("pending");
      expect(await second.queuert.getPauses()).toMatchObject([{ jobType: "crm", note: null }]);
      expect(await second.queuert.resume({ limit: "crm" })).toEqual({ resumed: 1 });
      await client.until(waiting);
    },
  );

  for (const pauses of ["jobType", "limit", "key"] as const) {
    rule(
      `rescheduleJob pauses its ${pauses}: no other job starts between its two writes`,
      async ({ open, openSecond, gate, stateAdapter, secondStateAdapter }) => {
        const limits: LimitsOptions<BehaviourDefinitions> = {
          declared: { crm: { perKey: { concurrency: 5 } } },
          jobTypes: { task: { limit: "crm", key: customerOf } },
        };
        const held = gate();
        const looks: (readonly string[])[] = [];
        const look = async (operation: StateOperation): Promise<void> => {
          if (operation !== "rescheduleJobs") return;
          const types = [{ typeName: "task", leaseMs: farMs, limit: 10 }];
          const given = { workerId: "other", limit: 10, types };
          const { jobs } = await secondStateAdapter.acquireJobs(given);
          looks.push(jobs.map(({ job }) => job.id));
        };
        const watched = interceptState(stateAdapter, { before: look, after: look });
        const client = await open({ limits, stateAdapter: watched });
        const input = { customer: "a" };
        const asks = await client.start("task", { input });
        await client.work(
          {
            task: async ({ job, complete }) => {
              if (job.id !== asks.id) return complete(null);
              await held.pass();
              return rescheduleJob({ afterMs: farMs, pauses });
            },
          },
          { concurrency: 1 },
        );
        await held.arrived();
        // It has room under its limit, and in the other process.
        const second = await openSecond({ limits });
        const waiting = await second.start("task", { input });
        held.open();
        await client.untilJob(asks, "pending");
        await eventually(async () => looks[1], "both looks");
        expect(looks.flat()).toEqual([]);
        const targets = {
          jobType: { jobTypes: ["task"] },
          limit: { limit: "crm" },
          key: { limit: "crm", keys: ["a"] },
        } as const;
        expect(await second.queuert.resume(targets[pauses])).toEqual({ resumed: 1 });
        await client.until(waiting);
      },
    );
  }

  rule("rescheduleJob pauses its job type", async ({ open }) => {
    const client = await open();
    const asks = await client.start("task");
    let runs = 0;
    await client.work({
      task: async ({ job, complete }) => {
        runs++;
        if (job.id === asks.id) rescheduleJob({ afterMs: farMs, pauses: "jobType" });
        return complete(null);
      },
      other: async ({ complete }) => complete(null),
    });
    await eventually(async () => (await client.queuert.getPauses())[0], "the pause");
    const waiting = await client.start("task");
    await client.until(await client.start("other"));
    await sleep(quietMs);
    expect(runs).toBe(1);
    expect(await client.queuert.getPauses()).toMatchObject([{ jobType: "task" }]);
    await client.queuert.resume({ jobTypes: ["task"] });
    await client.until(waiting);
    // Only the others start: the job itself waits for its time.
    expect((await client.job(asks)).status).toBe("pending");
  });

  rule("a paused limit waits, and its end wakes a worker that does not poll", async ({ open }) => {
    const limits: LimitsOptions<BehaviourDefinitions> = {
      declared: { crm: {} },
      jobTypes: { task: { limit: "crm" } },
    };
    const client = await open({ limits });
    await client.queuert.pause({ limit: "crm", note: "provider down" });
    const job = await client.start("task");
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, waitForStore: false },
    );
    await sleep(quietMs);
    expect((await client.job(job)).status).toBe("pending");
    await client.queuert.resume({ limit: "crm" });
    await client.until(job);
  });

  rule("a paused key waits, and its end wakes a worker that does not poll", async ({ open }) => {
    const client = await open({ limits: onePerCustomer });
    await client.queuert.pause({ limit: "task", keys: ["a"], note: "provider down" });
    const job = await client.start("task", { input: { customer: "a" } });
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, waitForStore: false },
    );
    await sleep(quietMs);
    expect((await client.job(job)).status).toBe("pending");
    const [key] = await client.queuert.getLimitKeys({ limit: "task", keys: ["a"] });
    expect(key).toMatchObject({ isPaused: true, pausedUntil: null, pauseNote: "provider down" });
    await client.queuert.resume({ limit: "task", keys: ["a"] });
    await client.until(job);
  });

  rule("a raised key wakes a worker that does not poll", async ({ open }) => {
    const declared = { task: { perKey: { concurrency: 0 } } };
    const client = await open({ limits: { ...onePerCustomer, declared } });
    const job = await client.start("task", { input: { customer: "a" } });
    await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: farMs, waitForStore: false },
    );
    await sleep(quietMs);
    expect((await client.job(job)).status).toBe("pending");
    await client.queuert.setLimitKeys({ keys: [{ limit: "task", key: "a", concurrency: 1 }] });
    await client.until(job);
  });

  rule("a job that is changed belongs to the key of its new input", async ({ open }) => {
    const client = await open({ limits: onePerCustomer });
    const job = await client.start("task", { input: { customer: "old" } });
    await client.queuert.pause({ limit: "task", keys: ["old"] });
    await client.queuert.updateJobs({
      jobs: [{ id: job.id, typeName: "task", input: { customer: "new" } }],
    });
    await client.work({ task: async ({ complete }) => complete(null) });
    await client.until(job);
  });
});
