import { expect } from "vitest";
import {
  JobAlreadyCompletedError,
  JobNotFoundError,
  JobTakenByAnotherWorkerError,
} from "../../errors.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { eventually, sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

export const processingSuite: BehaviourSuite = defineBehaviourSuite("processing", (rule) => {
  rule("a job is run and its output stored", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: { n: 1 } });
    const worker = await client.work(
      { task: async ({ job, complete }) => complete({ got: job.input }) },
      { workerId: "worker-a" },
    );
    expect(worker.workerId).toBe("worker-a");
    expect(await client.until(started)).toMatchObject({ output: { got: { n: 1 } } });
    expect(await client.job(started)).toMatchObject({
      status: "completed",
      completedBy: "worker-a",
      attempt: 1,
      leaseVersion: 1,
      continuedToId: null,
    });
  });

  rule("a process function sees its job running, under its lease", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: "in" });
    await client.work(
      {
        task: async ({ job, signal, complete }) =>
          complete([job.status, job.leasedBy, job.leaseVersion, job.attempt, signal.aborted]),
      },
      { workerId: "worker-a" },
    );
    expect(await client.until(started)).toMatchObject({
      output: ["running", "worker-a", 1, 1, false],
    });
  });

  rule("a worker takes only the types it implements", async ({ open }) => {
    const client = await open();
    const other = await client.start("other");
    const task = await client.start("task");
    await client.work({ task: async ({ complete }) => complete(null) });
    await client.until(task);
    expect(await client.job(other)).toMatchObject({ status: "pending", attempt: 0 });
  });

  rule("user writes commit with the completion", async ({ open, userRows }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete }) =>
        complete(async (tx) => {
          await userRows.insert(tx, "written");
          return "done";
        }),
    });
    expect(await client.until(started)).toMatchObject({ output: "done" });
    expect(await userRows.list()).toEqual(["written"]);
  });

  rule("user writes are rolled back when the callback throws", async ({ open, userRows }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) =>
          complete(async (tx) => {
            await userRows.insert(tx, `attempt ${job.attempt}`);
            if (job.attempt === 1) throw new Error("thrown in the callback");
            return null;
          }),
      },
    });
    await client.until(started);
    expect(await userRows.list()).toEqual(["attempt 2"]);
    expect(await client.job(started)).toMatchObject({
      attempt: 2,
      lastAttemptError: expect.stringContaining("thrown in the callback"),
    });
  });

  rule(
    "user writes are rolled back when the process function throws after complete",
    async (context) => {
      const { open, userRows } = context;
      const client = await open();
      const started = await client.start("task");
      await client.work({
        task: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ complete }) => {
            await complete(async (tx) => {
              await userRows.insert(tx, "row");
              return null;
            });
            throw new Error("too late");
          },
        },
      });
      expect(await client.until(started, "failed")).toMatchObject({
        error: expect.stringContaining("too late"),
      });
      expect(await userRows.list()).toEqual([]);
    },
  );

  rule("a library error of a handler's other call does not lose the job", async ({ open }) => {
    const client = await open();
    const thrown = [
      (id: string) => new JobAlreadyCompletedError(id),
      (id: string) => new JobTakenByAnotherWorkerError(id, 1),
      (id: string) => new JobNotFoundError(id),
    ];
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          const make = thrown[job.attempt - 1];
          if (make !== undefined) throw make(job.id);
          return complete(job.attempt);
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: 4 });
    expect(client.events.of("jobAttemptFailed")).toHaveLength(3);
  });

  rule("timeoutMs aborts the signal and counts as a failed attempt", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const reasons: (JobAbortReason | undefined)[] = [];
    await client.work({
      task: {
        timeoutMs: 30,
        retryConfig: { maxAttempts: 2, initialDelayMs: 1 },
        process: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reasons.push(signal.reason);
              reject(new Error("gave up"));
            });
          }),
      },
    });
    expect(await client.until(started, "failed")).toMatchObject({
      error: expect.stringContaining("JobTimeoutError"),
    });
    expect(reasons).toEqual(["timeout", "timeout"]);
    expect(await client.job(started)).toMatchObject({ attempt: 2 });
  });

  rule(
    "a handler that ignores its timeout is not waited for, and completes nothing",
    async (context) => {
      const { open, gate, userRows } = context;
      const client = await open();
      const deaf = gate();
      const late: unknown[] = [];
      const started = await client.start("task");
      const next = await client.start("task", { input: "next" });
      await client.work(
        {
          task: {
            timeoutMs: 40,
            retryConfig: { maxAttempts: 1 },
            process: async ({ job, complete }) => {
              if (job.input === "next") return complete("ran");
              await deaf.pass();
              const completing = complete(async (tx) => {
                await userRows.insert(tx, "late");
                return null;
              });
              late.push(await rejection(completing));
              throw new Error("not read");
            },
          },
        },
        { concurrency: 1 },
      );
      expect(await client.until(next)).toMatchObject({ output: "ran" });
      expect(await client.until(started, "failed")).toMatchObject({
        error: expect.stringContaining("JobTimeoutError"),
      });
      deaf.open();
      await eventually(() => Promise.resolve(late[0]), "the late completion to be refused");
      expect(late).toMatchObject([{ code: "QUEUERT_JOB_TIMEOUT" }]);
      expect(await userRows.list()).toEqual([]);
    },
  );

  rule("a timeout while a transaction opens leaves no transaction open", async (context) => {
    const { open, gate, userRows, stateAdapter } = context;
    const opening = gate();
    const isSlow = { current: true };
    let runs = 0;
    const slow: typeof stateAdapter = {
      ...stateAdapter,
      runInTransaction: (callback) =>
        stateAdapter.runInTransaction(async (tx) => {
          if (isSlow.current) await opening.pass();
          return callback(tx);
        }),
    };
    const client = await open();
    const slowClient = await open({ stateAdapter: slow });
    const started = await client.start("task");
    await slowClient.work({
      task: {
        timeoutMs: 30,
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          complete(async (tx) => {
            runs += 1;
            await userRows.insert(tx, "after the timeout");
            return null;
          }),
      },
    });
    await opening.arrived();
    await sleep(60); // Past the timeout, by far.
    isSlow.current = false;
    opening.open();
    await client.until(started, "failed");
    expect(runs).toBe(0);
    await client.queuert.transaction((tx) => userRows.insert(tx, "next"));
    expect(await userRows.list()).toEqual(["next"]);
  });

  rule("a job completed without its worker aborts the signal", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const started = await client.start("task");
    await client.work({
      task: {
        leaseConfig: { leaseMs: 10_000, renewIntervalMs: 40 },
        process: async ({ signal, complete }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await held.pass();
          return complete("the worker's");
        },
      },
    });
    await held.arrived();
    // As below: a renewal may write the job meanwhile.
    await client.transact((tx) =>
      client.queuert.completeJobSequence({
        ...tx,
        typeName: "task",
        id: started.id,
        complete: async ({ job, complete }) => complete(job, () => "the other's"),
      }),
    );
    await eventually(() => Promise.resolve(reasons[0]), "the signal");
    expect(reasons).toEqual(["already_completed"]);
    held.open();
    await client.events.until("jobAttemptAlreadyCompleted");
    expect(await client.sequence(started)).toMatchObject({ output: "the other's" });
    expect(client.events.of("jobAttemptFailed")).toEqual([]);
  });

  rule("a job deleted while it runs aborts the signal", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const started = await client.start("task");
    await client.work({
      task: {
        // Looks often, and does not lose the lease where the machine stands still for a moment.
        leaseConfig: { leaseMs: 10_000, renewIntervalMs: 40 },
        process: async ({ signal, complete }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await held.pass();
          return complete(null);
        },
      },
    });
    await held.arrived();
    // A renewal may write the job meanwhile: on some stores that is a conflict.
    await client.transact((tx) =>
      client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [started.id] }),
    );
    await eventually(() => Promise.resolve(reasons[0]), "the signal");
    expect(reasons).toEqual(["not_found"]);
    held.open();
    await client.events.until("jobAttemptNotFound");
    expect(await client.queuert.getJob({ id: started.id })).toBeUndefined();
  });

  rule("middleware wraps process functions, the first added outermost", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const calls: string[] = [];
    const named =
      (name: string) =>
      async <T>(context: { readonly attempt: number }, next: () => Promise<T>): Promise<T> => {
        calls.push(`${name} before ${context.attempt}`);
        try {
          return await next();
        } finally {
          calls.push(`${name} after`);
        }
      };
    await client.work(
      {
        task: {
          middleware: [named("type")],
          process: async ({ complete }) => {
            calls.push("process");
            return complete(null);
          },
        },
      },
      { middleware: [named("outer"), named("inner")] },
    );
    await client.until(started);
    expect(calls).toEqual([
      "outer before 1",
      "inner before 1",
      "type before 1",
      "process",
      "type after",
      "inner after",
      "outer after",
    ]);
  });

  rule("a middleware that throws fails the attempt, even after a completion", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work(
      {
        task: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ complete }) =>
            complete(async (tx) => {
              await userRows.insert(tx, "row");
              return null;
            }),
        },
      },
      {
        middleware: [
          async (_about, next) => {
            await next();
            throw new Error("from the middleware");
          },
        ],
      },
    );
    expect(await client.until(started, "failed")).toMatchObject({
      error: expect.stringContaining("from the middleware"),
    });
    expect(await userRows.list()).toEqual([]);
  });

  rule("no more jobs run at a time than a worker's concurrency", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 9 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    let running = 0;
    let most = 0;
    await client.work(
      {
        task: async ({ complete }) => {
          running += 1;
          most = Math.max(most, running);
          await held.pass();
          await sleep(1);
          running -= 1;
          return complete(null);
        },
      },
      { concurrency: 3 },
    );
    await held.arrived(3);
    expect(running).toBe(3);
    held.open();
    for (const one of started) await client.until(one);
    expect(most).toBe(3);
  });

  rule("no more jobs of a type run at a time than its own concurrency", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const tasks = await Promise.all(Array.from({ length: 5 }, () => client.start("task")));
    const others = await Promise.all(Array.from({ length: 5 }, () => client.start("other")));
    const running = { task: 0, other: 0 };
    const most = { task: 0, other: 0 };
    const run = async (typeName: "task" | "other"): Promise<void> => {
      running[typeName] += 1;
      most[typeName] = Math.max(most[typeName], running[typeName]);
      await held.pass();
      await sleep(1);
      running[typeName] -= 1;
    };
    await client.work(
      {
        task: {
          concurrency: 1,
          process: async ({ complete }) => {
            await run("task");
            return complete(null);
          },
        },
        other: async ({ complete }) => {
          await run("other");
          return complete(null);
        },
      },
      { concurrency: 6 },
    );
    // All five of the others, and one that is left for the tasks.
    await held.arrived(6);
    expect(running).toEqual({ task: 1, other: 5 });
    held.open();
    for (const one of [...tasks, ...others]) await client.until(one);
    expect(most.task).toBe(1);
  });

  rule("several workers of one client share the jobs, each run once", async ({ open }) => {
    const client = await open();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 40 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    const runs: unknown[] = [];
    const processes = {
      task: async ({ job, complete }) => {
        runs.push(job.input);
        return complete(job.leasedBy);
      },
    } satisfies Parameters<typeof client.work>[0];
    await client.work(processes, { workerId: "a", concurrency: 2 });
    await client.work(processes, { workerId: "b", concurrency: 2 });
    await client.work(processes, { workerId: "c", concurrency: 2 });
    for (const one of started) await client.until(one);
    expect(runs).toHaveLength(40);
    expect(new Set(runs).size).toBe(40);
  });

  rule("one worker definition can be started several times", async ({ open }) => {
    const client = await open();
    const builder = client.queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(null) });
    const first = await builder.start({ pollIntervalMs: 25 });
    const second = await builder.start({ pollIntervalMs: 25 });
    expect(first.workerId).not.toBe(second.workerId);
    await first.stop();
    const started = await client.start("task");
    await client.until(started);
    expect(await client.job(started)).toMatchObject({ completedBy: second.workerId });
    await second();
  });
});
