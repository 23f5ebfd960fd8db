import { expect } from "vitest";
import { UnrecoverableJobError } from "../../errors.ts";
import { rescheduleJob } from "../../lifecycle/request-reschedule.ts";
import { createStateSteps } from "../steps.ts";
import { eventually } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

/** Throws when its stack is read. */
const unreadable = (): Error =>
  Object.defineProperty(new Error("unreadable"), "stack", {
    get: () => {
      throw new Error("the stack was read");
    },
  });

/** Throws even from `instanceof`. */
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const broken = (): Promise<never> => Promise.reject(new Error("broken"));

/** The delays that the store was asked for, in order. */
const recordDelays = (jobs: readonly { readonly schedule: unknown }[], into: number[]): void => {
  for (const { schedule } of jobs) {
    const { afterMs } = (schedule ?? {}) as { readonly afterMs?: number };
    if (afterMs !== undefined) into.push(afterMs);
  }
};

export const retryingSuite: BehaviourSuite = defineBehaviourSuite("retrying", (rule) => {
  rule("a failed attempt is tried again, and its error kept", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          if (job.attempt < 3) throw new Error(`attempt ${job.attempt}`);
          return complete([job.attempt, job.lastAttemptError?.includes("attempt 2") ?? false]);
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: [3, true] });
    expect(client.events.of("jobAttemptFailed").map(({ willRetry }) => willRetry)).toEqual([
      true,
      true,
    ]);
  });

  rule("a failed attempt frees its slot, and its job is due after the delay", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: { retryConfig: { initialDelayMs: 60_000, jitter: "none" }, process: broken },
    });
    const job = await eventually(async () => {
      const found = await client.job(started);
      return found.status === "pending" && found.attempt === 1 ? found : undefined;
    }, "the retry");
    const dueInMs = job.scheduledAt.getTime() - (job.lastAttemptAt?.getTime() ?? 0);
    expect(dueInMs).toBeGreaterThanOrEqual(59_900);
    expect(dueInMs).toBeLessThan(90_000);
    expect(job.lastAttemptError).toContain("broken");
  });

  rule("the delay grows exponentially up to its maximum", async ({ open, stateAdapter }) => {
    const delays: number[] = [];
    const client = await open();
    const worker = await open({
      stateAdapter: {
        ...stateAdapter,
        rescheduleJobs: (params) => {
          recordDelays(params.jobs, delays);
          // Due at once, so that the case need not wait.
          const jobs = params.jobs.map((job) => ({ ...job, schedule: { afterMs: 0 } }));
          return stateAdapter.rescheduleJobs({ ...params, jobs });
        },
      },
    });
    const started = await client.start("task");
    await worker.work({
      task: {
        retryConfig: {
          initialDelayMs: 100,
          multiplier: 3,
          maxDelayMs: 1_000,
          jitter: "none",
          maxAttempts: 6,
        },
        process: broken,
      },
    });
    await client.until(started, "failed");
    expect(delays).toEqual([100, 300, 900, 1_000, 1_000]);
  });

  rule("jitter spreads retries within the delay", async ({ open, stateAdapter }) => {
    const bounds = { equal: [50, 100], full: [0, 100] } as const;
    for (const jitter of ["equal", "full"] as const) {
      const delays: number[] = [];
      const client = await open();
      const worker = await open({
        stateAdapter: {
          ...stateAdapter,
          rescheduleJobs: (params) => {
            recordDelays(params.jobs, delays);
            const jobs = params.jobs.map((job) => ({ ...job, schedule: { afterMs: 0 } }));
            return stateAdapter.rescheduleJobs({ ...params, jobs });
          },
        },
      });
      const started = await client.start("task");
      const running = await worker.work({
        task: {
          retryConfig: { initialDelayMs: 100, multiplier: 1, jitter, maxAttempts: 31 },
          process: broken,
        },
      });
      await client.until(started, "failed");
      await running.stop();
      expect(delays).toHaveLength(30);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(bounds[jitter][0]);
      expect(Math.max(...delays)).toBeLessThanOrEqual(bounds[jitter][1]);
      expect(new Set(delays).size).toBeGreaterThan(20);
    }
  });

  rule("a policy may be a function of the attempt and the error", async ({ open }) => {
    const client = await open();
    const asked: unknown[] = [];
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: {
          delayMs: (attempt, error) => {
            asked.push([attempt, (error as Error).message]);
            return 0;
          },
          maxAttempts: 3,
        },
        process: ({ job }) => Promise.reject(new Error(`error ${job.attempt}`)),
      },
    });
    await client.until(started, "failed");
    expect(asked).toEqual([
      [1, "error 1"],
      [2, "error 2"],
    ]);
  });

  rule("a policy that throws or answers nonsense does not cost the retry", async ({ open }) => {
    const client = await open();
    const answers = [
      () => {
        throw new Error("policy broken");
      },
      () => Number.NaN,
      () => -1,
    ];
    for (const delayMs of answers) {
      const started = await client.start("task");
      const worker = await client.work({ task: { retryConfig: { delayMs }, process: broken } });
      const job = await eventually(async () => {
        const found = await client.job(started);
        return found.status === "pending" && found.attempt === 1 ? found : undefined;
      }, "the retry");
      // The default policy stands in.
      const dueInMs = job.scheduledAt.getTime() - (job.lastAttemptAt?.getTime() ?? 0);
      expect(dueInMs).toBeGreaterThanOrEqual(490);
      await worker.stop();
      await client.queuert.transaction((tx) =>
        client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [started.id] }),
      );
    }
    expect(client.events.of("workerError")).toHaveLength(3);
  });

  rule("attempts that are used up fail the job, which keeps everything", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: { kept: true } });
    await client.work({
      task: { retryConfig: { maxAttempts: 2, initialDelayMs: 1 }, process: broken },
    });
    const failed = await client.until(started, "failed");
    expect(failed).toMatchObject({ error: expect.stringContaining("broken") });
    expect(await client.job(started)).toMatchObject({
      status: "failed",
      input: { kept: true },
      attempt: 2,
      lastAttemptError: expect.stringContaining("broken"),
      failedAt: expect.any(Date),
    });
    const listed = await client.queuert.listJobs({ status: "failed" });
    expect(listed.items.map(({ id }) => id)).toEqual([started.id]);
    expect(client.events.of("jobFailed")).toHaveLength(1);
    expect(client.events.of("jobSequenceFailed")).toHaveLength(1);
  });

  rule(
    "UnrecoverableJobError fails the job at once, unlimited attempts or not",
    async ({ open }) => {
      const client = await open();
      const started = await client.start("task");
      await client.work({
        task: async () => {
          throw new UnrecoverableJobError("no such account", { cause: new Error("404") });
        },
      });
      const failed = await client.until(started, "failed");
      expect(failed).toMatchObject({ error: expect.stringMatching(/no such account[^]*404/) });
      expect(await client.job(started)).toMatchObject({ attempt: 1 });
    },
  );

  rule("a thrown value of any kind is stored as text", async ({ open }) => {
    const client = await open();
    const thrown: readonly (readonly [unknown, string])[] = [
      ["text", "text"],
      [undefined, "undefined"],
      [null, "null"],
      [{ code: 5 }, "its fields are not recorded"],
      [5n, "5"],
      ["a\u0000b", "a\\0b"],
      [new Error("x".repeat(50_000)), "xxx"],
      [Object.assign(new Error("text"), { message: /no text/u }), "/no text/u"],
      [unreadable(), "cannot be read"],
      [revoked(), "cannot be read"],
    ];
    const started = [];
    for (const [index] of thrown.entries())
      started.push(await client.start("task", { input: index }));
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        // Anything may be thrown.
        process: ({ job }) => Promise.reject(thrown[Number(job.input)]?.[0]),
      },
    });
    for (const [index, one] of started.entries()) {
      expect(await client.until(one, "failed")).toMatchObject({
        error: expect.stringContaining(thrown[index]?.[1] ?? "?"),
      });
    }
  });

  rule("rescheduleJob counts no attempt and does not grow the backoff", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    let runs = 0;
    await client.work({
      task: {
        retryConfig: { maxAttempts: 2, initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          runs += 1;
          if (runs <= 4) rescheduleJob({ afterMs: 1 });
          return complete(job.attempt);
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: 1 });
    expect(runs).toBe(5);
    expect(client.events.of("jobAttemptRescheduled")).toHaveLength(4);
    expect(client.events.of("jobAttemptFailed")).toEqual([]);
    expect(await client.job(started)).toMatchObject({ lastAttemptError: null, leaseVersion: 5 });
  });

  rule("rescheduleJob keeps its cause, and its instant", async ({ open }) => {
    const client = await open();
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
    const started = await client.start("task");
    await client.work({ task: async () => rescheduleJob({ at }, new Error("rate limited")) });
    const job = await eventually(async () => {
      const found = await client.job(started);
      return found.lastAttemptError === null ? undefined : found;
    }, "the cause");
    expect(job).toMatchObject({ status: "pending", attempt: 0, scheduledAt: at });
    expect(job.lastAttemptError).toContain("rate limited");
  });

  rule("rescheduleJob refuses a schedule without meaning", async ({ open }) => {
    await open();
    const bad = (async () => rescheduleJob({ afterMs: Number.NaN }))();
    expect(await rejection(bad)).toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
  });

  rule("retryFailedJobs makes failed jobs due again, attempts counted afresh", async ({ open }) => {
    const client = await open();
    let isMended = false;
    const started = await client.start("task", { schedule: { afterMs: 0 } });
    await client.work({
      task: {
        retryConfig: { maxAttempts: 2, initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          if (!isMended) throw new Error("broken");
          return complete([job.attempt, job.lastAttemptError !== null]);
        },
      },
    });
    await client.until(started, "failed");
    isMended = true;
    const answers = await client.queuert.retryFailedJobs({ ids: [started.id] });
    expect(answers).toEqual([{ id: started.id, retried: true, status: "pending" }]);
    expect(await client.until(started)).toMatchObject({ output: [1, true] });
    expect(client.events.of("jobRetried")).toHaveLength(1);
  });

  rule(
    "retryFailedJobs answers for each id, and is rolled back with its caller",
    async ({ open }) => {
      const client = await open();
      const pending = await client.start("other");
      const failed = await client.start("task");
      const worker = await client.work({
        task: { retryConfig: { maxAttempts: 1 }, process: broken },
      });
      await client.until(failed, "failed");
      await worker.stop();
      const rolledBack = await rejection(
        client.queuert.transaction(async (tx) => {
          const answers = await client.queuert.retryFailedJobs({
            ...tx,
            ids: [pending.id, failed.id],
          });
          expect(answers).toEqual([
            { id: pending.id, retried: false, reason: "not_failed" },
            { id: failed.id, retried: true, status: "pending" },
          ]);
          throw new Error("rolled back on purpose");
        }),
      );
      expect(rolledBack).toMatchObject({ message: "rolled back on purpose" });
      expect(await client.job(failed)).toMatchObject({ status: "failed" });
      expect(client.events.of("jobRetried")).toEqual([]);
    },
  );

  rule("a job whose workers vanish is stopped when its attempts are used up", async (context) => {
    const { open, stateAdapter } = context;
    const client = await open();
    const steps = createStateSteps(stateAdapter);
    const started = await client.start("task");
    // Two workers die of it, each counted when it claimed the job.
    for (const workerId of ["dies-1", "dies-2"]) {
      const { id } = await steps.acquireOne({ typeName: "task", leaseMs: 1, workerId });
      await steps.untilExpired({ id });
    }
    let runs = 0;
    await client.work({
      task: {
        retryConfig: { maxAttempts: 2 },
        process: async ({ complete }) => {
          runs += 1;
          return complete(null);
        },
      },
    });
    expect(await client.until(started, "failed")).toMatchObject({
      error: expect.stringContaining("All 2 attempts were begun"),
    });
    expect(runs).toBe(0);
  });

  rule("an attempt that its worker has crashed in is counted", async ({ open, stateAdapter }) => {
    const client = await open();
    const steps = createStateSteps(stateAdapter);
    const started = await client.start("task");
    const claimed = await steps.acquireOne({ typeName: "task", leaseMs: 1, workerId: "dies" });
    await steps.untilExpired(claimed);
    await client.work({ task: async ({ job, complete }) => complete(job.attempt) });
    expect(await client.until(started)).toMatchObject({ output: 2 });
    expect(await client.events.until("jobReaped")).toMatchObject({ leasedBy: "dies" });
  });

  rule("triggerJobs makes jobs due now, and answers for each id", async ({ open }) => {
    const client = await open();
    const later = await client.start("task", { schedule: { afterMs: 3_600_000 } });
    await client.work({ task: async ({ complete }) => complete("now") });
    expect(await client.queuert.triggerJobs({ ids: [later.id] })).toEqual([
      { id: later.id, triggered: true },
    ]);
    expect(await client.until(later)).toMatchObject({ output: "now" });
    expect(await client.queuert.triggerJobs({ ids: [later.id] })).toEqual([
      { id: later.id, triggered: false, reason: "not_pending" },
    ]);
  });

  rule(
    "retrying and triggering with the context of an ended transaction is refused",
    async (one) => {
      const client = await one.open();
      const later = await client.start("task", { schedule: { afterMs: 3_600_000 } });
      const ended = await client.queuert.transaction(async (context) => ({ ...context }));
      for (const call of ["retryFailedJobs", "triggerJobs"] as const) {
        expect(await rejection(client.queuert[call]({ ...ended, ids: [later.id] }))).toMatchObject({
          code: "QUEUERT_NOT_IN_TRANSACTION",
          operation: call,
        });
      }
      expect((await client.job(later)).scheduledAt.getTime()).toBeGreaterThan(
        (await client.job(later)).createdAt.getTime(),
      );
    },
  );
});
