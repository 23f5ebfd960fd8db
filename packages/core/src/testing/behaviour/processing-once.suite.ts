import { expect } from "vitest";
import { JobCancelledError, UnrecoverableJobError } from "../../errors.ts";
import { rescheduleJob } from "../../lifecycle/request-reschedule.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { sleep } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

const farMs = 3_600_000;
const nothing = {
  ...{ completed: 0, failed: 0, rescheduled: 0, lost: 0, handedBack: 0, leftBehind: 0 },
  nextDueInMs: null,
};

const worker = (client: BehaviourClient) => client.queuert.createWorker();

const completing = (client: BehaviourClient, ran: unknown[] = []) =>
  worker(client).implementJobType({
    typeName: "task",
    process: async ({ job, complete }) => {
      ran.push(job.input);
      return complete(null);
    },
  });

export const processingOnceSuite: BehaviourSuite = defineBehaviourSuite(
  "processing once",
  (rule) => {
    rule("runs the jobs that are due, and says when to call again", async ({ open }) => {
      const client = await open();
      const ran: unknown[] = [];
      const builder = completing(client, ran);
      expect(await builder.processOnce({ budgetMs: 60_000 })).toEqual(nothing);
      for (const input of [1, 2, 3]) await client.start("task", { input });
      await client.start("task", { input: 4, schedule: { afterMs: farMs } });
      const result = await builder.processOnce({ budgetMs: 60_000 });
      expect(result).toMatchObject({ ...nothing, completed: 3, nextDueInMs: expect.any(Number) });
      expect(result.nextDueInMs).toBeGreaterThan(farMs / 2);
      expect(ran.sort()).toEqual([1, 2, 3]);
      expect(client.events.gauges()).toEqual({});
    });

    rule("drains continuations and dependants, at any depth", async ({ open }) => {
      const client = await open();
      const blocker = await client.start("first");
      const waiting = await client.transact((tx) =>
        client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([blocker]) }),
      );
      const result = await worker(client)
        .implementJobType({
          typeName: "first",
          process: async ({ complete }) => complete.continueWith({ typeName: "next", input: 0 }),
        })
        .implementJobType({
          typeName: "next",
          process: async ({ job, complete }) =>
            job.input === 5
              ? complete("end")
              : complete(async ({ continueWith }) =>
                  continueWith({ typeName: "next", input: Number(job.input) + 1 }),
                ),
        })
        .implementJobType({
          typeName: "waiting",
          process: async ({ job, complete }) => complete(job.blockers.length),
        })
        .drain({ concurrency: 1 });
      expect(result).toEqual({ ...nothing, completed: 8 });
      expect(await client.sequence(waiting)).toMatchObject({ status: "completed", output: 1 });
    });

    rule("counts every outcome", async ({ open }) => {
      const client = await open();
      for (const input of ["complete", "fail", "retry", "reschedule", "cancel"]) {
        await client.start("task", { input });
      }
      const result = await worker(client)
        .implementJobType({
          typeName: "task",
          retryConfig: { maxAttempts: 2, initialDelayMs: farMs },
          process: async ({ job, complete }) => {
            if (job.input === "fail") throw new UnrecoverableJobError("for good");
            if (job.input === "retry") throw new Error("again");
            if (job.input === "reschedule") rescheduleJob({ afterMs: farMs });
            if (job.input === "cancel") throw new JobCancelledError();
            return complete(null);
          },
        })
        .processOnce({ budgetMs: 60_000 });
      expect(result).toEqual({
        ...nothing,
        ...{ completed: 1, failed: 1, rescheduled: 2, lost: 1 },
        nextDueInMs: expect.any(Number),
      });
    });

    rule("takes at most `maxJobs`, and at most `concurrency` at a time", async ({ open }) => {
      const client = await open();
      let active = 0;
      let most = 0;
      for (let input = 0; input < 7; input++) await client.start("task", { input });
      const builder = worker(client).implementJobType({
        typeName: "task",
        process: async ({ complete }) => {
          most = Math.max(most, ++active);
          await new Promise((resolve) => setImmediate(resolve));
          active--;
          return complete(null);
        },
      });
      const options = { budgetMs: 60_000, maxJobs: 5, concurrency: 2 };
      const first = await builder.processOnce(options);
      expect(first).toEqual({ ...nothing, completed: 5, nextDueInMs: 0 });
      expect(most).toBeLessThanOrEqual(2);
      expect(await builder.drain()).toEqual({ ...nothing, completed: 2 });
    });

    rule("two calls at once share the jobs", async ({ open, openSecond }) => {
      const ran: unknown[] = [];
      const clients = [await open(), await openSecond()];
      const [client] = clients as [BehaviourClient];
      for (let input = 0; input < 20; input++) await client.start("task", { input });
      const results = await Promise.all(
        clients.map((one) =>
          completing(one, ran).processOnce({ budgetMs: 60_000, concurrency: 2 }),
        ),
      );
      const { completed } = await completing(client, ran).drain();
      const all = results.reduce((sum, result) => sum + result.completed, completed);
      expect(all).toBe(20);
      expect(new Set(ran).size).toBe(20);
    });

    rule("no job begins in the reserve", async ({ open, stateAdapter }) => {
      // The time for new jobs is over before the first acquisition.
      const slow = interceptState(stateAdapter, {
        before: async (operation) => {
          if (operation === "reclaimExpiredLeases") await sleep(100);
        },
      });
      const client = await open({ stateAdapter: slow });
      const started = await client.start("task");
      const result = await completing(client).processOnce({ budgetMs: 60_000, reserveMs: 59_950 });
      expect(result).toEqual({ ...nothing, nextDueInMs: 0 });
      expect((await client.job(started)).status).toBe("pending");
    });

    rule(
      "at the end of the budget handlers are told, and their jobs run again",
      async (context) => {
        const { open } = context;
        const client = await open();
        const reasons: (JobAbortReason | undefined)[] = [];
        const started = await client.start("task");
        const builder = worker(client).implementJobType({
          typeName: "task",
          process: async ({ signal, complete }) => {
            if (reasons.length > 0) return complete("second");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            reasons.push(signal.reason);
            throw new Error("told to end");
          },
        });
        const result = await builder.processOnce({ budgetMs: 300, reserveMs: 100 });
        expect(reasons).toEqual(["shutdown"]);
        expect(result).toEqual({ ...nothing, rescheduled: 1, nextDueInMs: 0 });
        expect(await client.job(started)).toMatchObject({ status: "pending", attempt: 0 });
        expect(await builder.drain()).toEqual({ ...nothing, completed: 1 });
      },
    );

    rule("a handler that ignores its signal is left behind", async ({ open, gate }) => {
      // The job begins in the first 800 ms, also on a busy machine.
      const client = await open({ clockTimes: 5 });
      const held = gate();
      const started = await client.start("task");
      const result = await worker(client)
        .implementJobType({
          typeName: "task",
          process: async ({ complete }) => {
            await held.pass();
            return complete(null);
          },
        })
        .processOnce({ budgetMs: 5_000, reserveMs: 1_000 });
      expect(result).toEqual({ ...nothing, leftBehind: 1, nextDueInMs: 0 });
      const job = await client.job(started);
      // Its lease is bounded by the budget, not by the 30 s of the type.
      const leftMs = job.status === "running" ? job.leasedUntil.getTime() - Date.now() : Infinity;
      expect(leftMs).toBeLessThan(16_000);
    });

    rule(
      "a paused type is left, and the end of its pause is the time to call again",
      async (context) => {
        const { open } = context;
        const client = await open();
        await client.start("task");
        await client.queuert.pause({ jobTypes: ["task"], forMs: farMs });
        const result = await completing(client).processOnce({ budgetMs: 60_000 });
        expect(result).toMatchObject({ completed: 0 });
        expect(result.nextDueInMs).toBeGreaterThan(farMs / 2);
      },
    );

    rule("rejects with the store's error, after the jobs that run have ended", async (context) => {
      const { open, stateAdapter } = context;
      const begun: unknown[] = [];
      const failing = interceptState(stateAdapter, {
        before: (operation) => {
          // Not the second acquisition: the first may have found nothing, or may have been repeated.
          if (operation === "acquireJobs" && begun.length > 0) throw new StateFault("cut off");
        },
      });
      const client = await open({ stateAdapter: failing });
      const started = [
        await client.start("task", { input: 0 }),
        await client.start("task", { input: 1 }),
      ];
      const refused = completing(client, begun).processOnce({ budgetMs: 60_000, concurrency: 1 });
      expect(await rejection(refused)).toBeInstanceOf(StateFault);
      expect(begun.length).toBeGreaterThan(0);
      for (const [input, one] of started.entries()) {
        if (begun.includes(input)) expect((await client.job(one)).status).toBe("completed");
      }
    });

    rule("closing the client ends the call", async ({ open, gate }) => {
      const client = await open();
      const held = gate();
      await client.start("task");
      const running = worker(client)
        .implementJobType({
          typeName: "task",
          process: async ({ signal, complete }) => {
            signal.addEventListener("abort", held.open);
            await held.pass();
            return complete(signal.reason ?? null);
          },
        })
        .processOnce({ budgetMs: farMs });
      await held.arrived();
      await client.queuert.close();
      expect(await running).toMatchObject({ completed: 1 });
    });

    rule("closing the client during an acquisition ends the call", async (context) => {
      const { open, gate, stateAdapter } = context;
      const [acquiring, held] = [gate(), gate()];
      let acquisitions = 0;
      const slow = interceptState(stateAdapter, {
        after: async (operation) => {
          // The second one finds nothing, while the job of the first one runs.
          if (operation === "acquireJobs" && ++acquisitions === 2) await acquiring.pass();
        },
      });
      const client = await open({ stateAdapter: slow });
      await client.start("task");
      const running = worker(client)
        .implementJobType({
          typeName: "task",
          process: async ({ signal, complete }) => {
            signal.addEventListener("abort", held.open);
            await held.pass();
            return complete(signal.reason ?? null);
          },
        })
        .processOnce({ budgetMs: farMs });
      await Promise.all([held.arrived(), acquiring.arrived()]);
      const closed = client.queuert.close();
      acquiring.open();
      expect(await running).toMatchObject({ completed: 1 });
      await closed;
    });

    rule("bad options are refused", async ({ open }) => {
      const client = await open();
      const builder = completing(client);
      for (const given of [
        {},
        { budgetMs: 0 },
        { budgetMs: 1_000, reserveMs: 1_000 },
        { budgetMs: 1_000, maxJobs: 0 },
        { budgetMs: 1_000, concurrency: 1.5 },
        { budgetMs: 1_000, prefetch: 3 },
      ]) {
        expect(await rejection(builder.processOnce(given as never))).toMatchObject({
          code: expect.stringMatching(/^QUEUERT_/) as string,
        });
      }
      expect(await rejection(worker(client).drain())).toMatchObject({
        code: "QUEUERT_EMPTY_WORKER",
      });
    });
  },
);
