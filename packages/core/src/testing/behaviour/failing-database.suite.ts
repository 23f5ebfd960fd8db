import { expect } from "vitest";
import { createFlakyStateAdapter, createPoisonableStateAdapter } from "../faults.ts";
import { eventually } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";

const sequenceCount = 24;

export const failingDatabaseSuite: BehaviourSuite = defineBehaviourSuite(
  "failing database",
  (rule) => {
    rule("statements that fail at random lose nothing and double nothing", async (context) => {
      const { open, stateAdapter, random, userRows } = context;
      const { stateAdapter: flaky, faults } = createFlakyStateAdapter(
        interceptState(stateAdapter, {}),
        { random, rate: 0.15 },
      );
      const capabilities = { ...stateAdapter.capabilities, isTransientError: () => true };
      const client = await open();
      const worker = await open({ stateAdapter: { ...flaky, capabilities } });
      await worker.work(
        {
          first: {
            retryConfig: { initialDelayMs: 1, maxDelayMs: 20 },
            leaseConfig: { leaseMs: 250, renewIntervalMs: 50 },
            process: async ({ job, complete }) =>
              Number(job.input) % 2 === 0
                ? complete.continueWith({ typeName: "next", input: job.input })
                : complete(async ({ continueWith, ...tx }) => {
                    await userRows.insert(tx, `first ${String(job.input)}`);
                    return continueWith({ typeName: "next", input: job.input });
                  }),
          },
          next: {
            retryConfig: { initialDelayMs: 1, maxDelayMs: 20 },
            leaseConfig: { leaseMs: 250, renewIntervalMs: 50 },
            process: async ({ job, complete }) =>
              complete(async (tx) => {
                await userRows.insert(tx, `next ${String(job.input)}`);
                return job.input;
              }),
          },
        },
        { concurrency: 4 },
      );
      const started = [];
      for (let input = 0; input < sequenceCount; input += 1) {
        started.push(await client.start("first", { input }));
      }
      for (const [input, one] of started.entries()) {
        expect(await client.until(one)).toMatchObject({ output: input });
        const { items } = await client.queuert.listJobs({ sequenceId: one.id });
        expect(items.map(({ status }) => status)).toEqual(["completed", "completed"]);
      }
      faults.pause();
      expect(faults.count()).toBeGreaterThan(0);
      // Each completion's writes are there exactly once.
      const expected = started.flatMap((_, input) =>
        input % 2 === 0 ? [`next ${input}`] : [`first ${input}`, `next ${input}`],
      );
      expect([...(await userRows.list())].sort()).toEqual(expected.sort());
    });

    rule("failures and dead letters survive a store that fails at random", async (context) => {
      const { open, stateAdapter, random } = context;
      const { stateAdapter: flaky, faults } = createFlakyStateAdapter(stateAdapter, {
        random,
        rate: 0.2,
      });
      const capabilities = { ...stateAdapter.capabilities, isTransientError: () => true };
      const client = await open();
      const worker = await open({ stateAdapter: { ...flaky, capabilities } });
      const started = [];
      for (let input = 0; input < 12; input += 1)
        started.push(await client.start("task", { input }));
      await worker.work({
        task: {
          retryConfig: { maxAttempts: 3, initialDelayMs: 1, multiplier: 1 },
          leaseConfig: { leaseMs: 200, renewIntervalMs: 40 },
          process: () => Promise.reject(new Error("broken")),
        },
      });
      for (const one of started) {
        await client.until(one, "failed");
        const { attempt } = await client.job(one);
        expect(attempt).toBeGreaterThanOrEqual(3);
      }
      faults.pause();
      expect(worker.events.of("jobCompleted")).toEqual([]);
    });

    rule("a worker outlives a store that is away, and goes on by itself", async (context) => {
      const { open, stateAdapter } = context;
      let isAway = false;
      const away = interceptState(stateAdapter, {
        before: () => {
          if (isAway) throw new StateFault("connection refused");
        },
      });
      const client = await open();
      const worker = await open({ stateAdapter: away });
      const running = await worker.work({ task: async ({ complete }) => complete("out") });
      await client.until(await client.start("task"));
      isAway = true;
      const started = await client.start("task");
      await eventually(
        () => Promise.resolve(worker.events.of("workerError").length >= 2 ? true : undefined),
        "the worker to notice",
      );
      isAway = false;
      expect(await client.until(started)).toMatchObject({ output: "out" });
      await running.stop();
      expect(worker.events.of("stateAdapterError").length).toBeGreaterThan(0);
    });

    rule(
      "an outcome is kept while the store is away, and stored when it is back",
      async (context) => {
        const { open, gate, stateAdapter } = context;
        let isAway = false;
        let refused = 0;
        const away = interceptState(stateAdapter, {
          before: (operation) => {
            if (!isAway) return;
            if (operation === "completeJobs") refused += 1;
            throw new StateFault("connection refused");
          },
        });
        const client = await open();
        const worker = await open({ stateAdapter: away });
        const held = gate();
        const started = await client.start("task");
        let runs = 0;
        await worker.work({
          task: async ({ complete }) => {
            runs += 1;
            await held.pass();
            return complete("kept");
          },
        });
        await held.arrived();
        isAway = true;
        held.open();
        await eventually(() => Promise.resolve(refused >= 2 ? true : undefined), "two tries");
        isAway = false;
        expect(await client.until(started)).toMatchObject({ output: "kept" });
        expect(runs).toBe(1);
        expect(await client.job(started)).toMatchObject({ attempt: 1, lastAttemptError: null });
      },
    );

    rule("a worker stops though its store is away", async ({ open, stateAdapter }) => {
      let isAway = false;
      const away = interceptState(stateAdapter, {
        before: () => {
          if (isAway) throw new StateFault("connection refused");
        },
      });
      const worker = await open({ stateAdapter: away });
      const running = await worker.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: 10, shutdownTimeoutMs: 500 },
      );
      isAway = true;
      await worker.events.until("workerError");
      await running.stop();
      expect(worker.events.of("workerStopped")).toHaveLength(1);
      expect(worker.events.gauges()).toEqual({});
    });

    rule("a worker stops though its store answers nothing any more", async (context) => {
      const { open, gate, stateAdapter } = context;
      const hung = gate();
      let isHung = false;
      const hanging = interceptState(stateAdapter, {
        before: () => (isHung ? hung.pass() : undefined),
      });
      const client = await open();
      const worker = await open({ clockTimes: 10, stateAdapter: hanging });
      const held = gate();
      await client.start("task");
      const running = await worker.work(
        {
          task: {
            leaseConfig: { leaseMs: 2_000, renewIntervalMs: 400 },
            process: async ({ complete }) => {
              await held.pass();
              return complete(null);
            },
          },
        },
        { shutdownGraceMs: 100, shutdownTimeoutMs: 1_000, pollIntervalMs: 100 },
      );
      await held.arrived();
      isHung = true;
      held.open();
      await hung.arrived();
      await running.stop();
      expect(worker.events.of("workerStopped")).toHaveLength(1);
      isHung = false;
      hung.open();
    });

    rule(
      "a transaction broken by a failed statement stores nothing, and fails the attempt",
      async (context) => {
        const { open, stateAdapter, userRows } = context;
        const { stateAdapter: poisonable, poisonTransaction } =
          createPoisonableStateAdapter(stateAdapter);
        const client = await open();
        const worker = await open({ stateAdapter: poisonable });
        const started = await client.start("task");
        await worker.work({
          task: {
            retryConfig: { initialDelayMs: 1 },
            process: async ({ job, complete }) =>
              complete(async (tx) => {
                await userRows.insert(tx, `attempt ${job.attempt}`);
                // The handler swallows the error, and answers as if nothing had happened.
                if (job.attempt < 3) poisonTransaction(tx);
                return job.attempt;
              }),
          },
        });
        expect(await client.until(started)).toMatchObject({ output: 3 });
        expect(await client.job(started)).toMatchObject({ attempt: 3 });
        expect(await userRows.list()).toEqual(["attempt 3"]);
      },
    );
  },
);
