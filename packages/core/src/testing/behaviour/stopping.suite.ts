import { expect } from "vitest";
import type { AcquireJobsResult } from "../../adapters/state-adapter-params.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { eventually, graceMs, settlesWithin, sleep, within } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements, interceptState } from "./intercept-state.ts";
import { overrideNotify } from "./override-notify.ts";
import { rejection } from "./rejection.ts";

const startMany = (client: BehaviourClient, count: number) =>
  client.queuert.transaction((tx) =>
    client.queuert.startJobSequences({
      ...tx,
      sequences: Array.from(
        { length: count },
        (_, input) => ({ typeName: "task", input }) as const,
      ),
    }),
  );

/** Whether an answer of `acquireJobs` brings anything: a poll may have looked just before. */
const hasJobs = (answer: unknown): boolean => (answer as AcquireJobsResult).jobs.length > 0;

export const stoppingSuite: BehaviourSuite = defineBehaviourSuite("stopping", (rule) => {
  rule("running jobs finish, and nothing new is begun", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    await startMany(client, 20);
    let begun = 0;
    const worker = await client.work(
      {
        task: async ({ complete }) => {
          begun += 1;
          await held.pass();
          return complete("finished");
        },
      },
      { concurrency: 3, shutdownGraceMs: 5_000, shutdownTimeoutMs: 10_000 },
    );
    await held.arrived(3);
    const stopping = worker.stop();
    expect(await settlesWithin(stopping, 60)).toBe(false);
    held.open();
    await stopping;
    expect(begun).toBe(3);
    const { items } = await client.queuert.listJobs({ status: "completed" });
    expect(items).toHaveLength(3);
    expect((await client.queuert.listJobs({ status: "running" })).items).toEqual([]);
    const pending = (await client.queuert.listJobs({ status: "pending" })).items;
    expect(pending.map(({ attempt }) => attempt)).toEqual(pending.map(() => 0));
  });

  rule("during a backlog a worker stops at once, and holds nothing", async ({ open }) => {
    const client = await open();
    await startMany(client, 300);
    let runs = 0;
    const worker = await client.work(
      {
        task: async ({ complete }) => {
          runs += 1;
          return complete(null);
        },
      },
      { concurrency: 4 },
    );
    await eventually(() => Promise.resolve(runs > 20 ? true : undefined), "some runs");
    await worker.stop();
    const runsAtStop = runs;
    const running = await client.queuert.listJobs({ status: "running" });
    expect(running.items).toEqual([]);
    const done = await client.queuert.listJobs({ status: "completed", limit: 500 });
    expect(done.items).toHaveLength(runsAtStop);
    await sleep(30);
    expect(runs).toBe(runsAtStop);
  });

  rule(
    "a job that was acquired and not begun is returned, and its attempt is not counted",
    async (context) => {
      const { open, gate, stateAdapter } = context;
      const answering = gate();
      let isHolding = false;
      const slow = interceptState(stateAdapter, {
        // The claim's answer is on its way when the worker is told to stop.
        after: (operation, _params, answer) =>
          operation === "acquireJobs" && isHolding && hasJobs(answer)
            ? answering.pass()
            : undefined,
      });
      const client = await open();
      const worker = await open({ stateAdapter: slow });
      isHolding = true;
      await startMany(client, 5);
      let runs = 0;
      const running = await worker.work({
        task: async ({ complete }) => {
          runs += 1;
          return complete(null);
        },
      });
      await answering.arrived();
      const before = await client.queuert.listJobs({ status: "running" });
      expect(before.items).toHaveLength(5);
      const stopping = running.stop();
      answering.open();
      await stopping;
      const after = await client.queuert.listJobs({ order: "asc" });
      expect(runs).toBe(0);
      for (const job of after.items) {
        expect(job).toMatchObject({ status: "pending", attempt: 0, lastAttemptError: null });
      }
      expect(worker.events.of("jobAttemptTakenByAnotherWorker")).toEqual([]);
      expect(worker.events.of("jobHandedBack")).toHaveLength(5);
    },
  );

  rule("a job handed back while others finish is not taken for lost", async (context) => {
    const { open, gate, stateAdapter } = context;
    const held = gate();
    const answering = gate();
    let isHolding = false;
    const slow = interceptState(stateAdapter, {
      after: (operation, _params, answer) =>
        operation === "acquireJobs" && isHolding && hasJobs(answer) ? answering.pass() : undefined,
    });
    const client = await open();
    const worker = await open({ stateAdapter: slow });
    await client.start("task", { input: "slow" });
    const running = await worker.work(
      {
        task: {
          leaseConfig: { leaseMs: 400, renewIntervalMs: 20 },
          process: async ({ complete }) => {
            await held.pass();
            return complete(null);
          },
        },
      },
      { concurrency: 2, prefetch: 0, shutdownGraceMs: 5_000, shutdownTimeoutMs: 10_000 },
    );
    await held.arrived();
    isHolding = true;
    await client.start("task", { input: "claimed during the stop" });
    await answering.arrived();
    const stopping = running.stop();
    answering.open();
    await worker.events.until("jobHandedBack");
    // Several renewals long the worker waits for its slow job.
    await eventually(
      () =>
        Promise.resolve(worker.events.of("jobAttemptLeaseRenewed").length > 3 ? true : undefined),
      "some renewals",
    );
    held.open();
    await stopping;
    expect(worker.events.of("jobAttemptTakenByAnotherWorker")).toEqual([]);
    expect((await client.queuert.listJobs({ status: "running" })).items).toEqual([]);
  });

  rule(
    'after the grace period the signal says "shutdown", and the job is not blamed',
    async (context) => {
      const { open } = context;
      const client = await open();
      const reasons: (JobAbortReason | undefined)[] = [];
      const started = await client.start("task");
      const worker = await client.work(
        {
          task: {
            retryConfig: { maxAttempts: 1 },
            process: ({ signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                  reasons.push(signal.reason);
                  reject(new Error("stopped half way"));
                });
              }),
          },
        },
        { shutdownGraceMs: 30, shutdownTimeoutMs: 10_000 },
      );
      await client.events.until("jobAttemptStarted");
      await within(worker.stop(), "the worker to stop", 5_000);
      expect(reasons).toEqual(["shutdown"]);
      expect(await client.job(started)).toMatchObject({ status: "pending", attempt: 0 });
    },
  );

  rule(
    "a handler that never ends does not keep the worker from stopping",
    async ({ open, gate }) => {
      const client = await open();
      const deaf = gate();
      const started = await client.start("task");
      const worker = await client.work(
        {
          task: {
            leaseConfig: { leaseMs: 200, renewIntervalMs: 40 },
            process: async ({ complete }) => {
              await deaf.pass();
              return complete(null);
            },
          },
        },
        { shutdownGraceMs: 10, shutdownTimeoutMs: 60 },
      );
      await deaf.arrived();
      await within(worker.stop(), "the worker to stop", 5_000);
      expect(client.events.of("workerError")).toMatchObject([
        { error: { code: "QUEUERT_WORKER_SHUTDOWN" } },
      ]);
      // Its lease is renewed no more: another worker takes the job.
      await client.work({ task: async ({ complete }) => complete("elsewhere") });
      expect(await client.until(started)).toMatchObject({ output: "elsewhere" });
      deaf.open();
    },
  );

  rule(
    "a handler that outlives its worker may still complete, if no other worker took the job over",
    async (context) => {
      const { open, gate } = context;
      const client = await open();
      const deaf = gate();
      const started = await client.start("task");
      const worker = await client.work(
        {
          task: async ({ complete }) => {
            await deaf.pass();
            return complete("late");
          },
        },
        { shutdownGraceMs: 5_000, shutdownTimeoutMs: 40 },
      );
      await deaf.arrived();
      await worker.stop();
      deaf.open();
      expect(await client.until(started)).toMatchObject({ output: "late" });
    },
  );

  rule("stopping twice is stopping once", async ({ open }) => {
    const client = await open();
    const worker = await client.work({ task: async ({ complete }) => complete(null) });
    await Promise.all([worker.stop(), worker(), worker.stop()]);
    await worker.stop();
    expect(client.events.of("workerStopping")).toHaveLength(1);
    expect(client.events.of("workerStopped")).toHaveLength(1);
  });

  rule("a stopped worker makes no more statements", async ({ open, stateAdapter }) => {
    const { adapter, total } = countStatements(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    const worker = await client.work(
      { task: async ({ complete }) => complete(null) },
      { pollIntervalMs: 10 },
    );
    const started = await client.start("task");
    await client.until(started);
    await worker.stop();
    const before = total();
    await sleep(60); // Six polls.
    expect(total()).toBe(before);
  });

  rule("closing the client stops its workers", async ({ open, gate }) => {
    const client = await open();
    const other = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete("finished");
      },
    });
    await held.arrived();
    const closing = client.queuert.close();
    held.open();
    await closing;
    await client.queuert.close();
    expect(await other.sequence(started)).toMatchObject({ output: "finished" });
    expect(client.events.of("workerStopped")).toHaveLength(1);
  });

  rule("closing the client stops a worker that is still starting", async (context) => {
    const { open, gate, notifyAdapter } = context;
    const listening = gate();
    const slow = overrideNotify(notifyAdapter, {
      listenJobScheduled: async (listener) => {
        await listening.pass();
        return notifyAdapter.listenJobScheduled(listener);
      },
    });
    const client = await open({ notifyAdapter: slow });
    const other = await open();
    const builder = client.queuert.createWorker().implementJobType({
      typeName: "task",
      process: async ({ complete }) => complete("run"),
    });
    const starting = builder.start();
    await listening.arrived();
    const closing = client.queuert.close();
    listening.open();
    await closing;
    expect(client.events.of("workerStopped")).toHaveLength(1);
    await (await starting).stop();
    const started = await other.start("task");
    await sleep(graceMs);
    expect(await other.sequence(started)).toMatchObject({ status: "pending" });
    expect(await rejection(builder.start())).toMatchObject({ code: "QUEUERT_CLOSED" });
  });

  rule("outcomes under way are stored before the worker has stopped", async ({ open, gate }) => {
    const client = await open();
    const together = gate();
    const started = await startMany(client, 8);
    const worker = await client.work({
      task: {
        retryConfig: { initialDelayMs: 60_000 },
        process: async ({ job, complete }) => {
          await together.pass();
          if (Number(job.input) % 2 === 1) throw new Error("odd");
          return complete(job.input);
        },
      },
    });
    await together.arrived(8);
    together.open();
    await worker.stop();
    const statuses = await Promise.all(started.map(async (one) => (await client.job(one)).status));
    expect(statuses).toEqual(
      started.map((_, index) => (index % 2 === 1 ? "pending" : "completed")),
    );
  });
});
