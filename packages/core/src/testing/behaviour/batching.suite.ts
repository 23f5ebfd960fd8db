import { expect } from "vitest";
import { UnrecoverableJobError } from "../../errors.ts";
import type { JobStatus } from "../../model/status.ts";
import type { ImplementJobTypeBatchOptions } from "../../public-types/batch.ts";
import type {
  RunningWorker,
  StartWorkerOptions,
  WorkerMiddleware,
} from "../../public-types/worker.ts";
import { eventually, sleep } from "../waiting.ts";
import type { BehaviourClient, StartedSequence } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import type { BehaviourDefinitions } from "./definitions.ts";
import { interceptState } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

type Options<TName extends "task" | "first"> = ImplementJobTypeBatchOptions<
  string,
  BehaviourDefinitions,
  object,
  TName,
  never
>;

const farMs = 3_600_000;
const quietMs = 150;

/** A worker for batches of one type, which does not poll during a case unless told to. */
const workOn = async <TName extends "task" | "first">(
  client: BehaviourClient,
  options: Options<TName>,
  given: StartWorkerOptions & { readonly middleware?: readonly WorkerMiddleware[] } = {},
): Promise<RunningWorker> => {
  const { middleware = [], ...others } = given;
  let builder = client.queuert.createWorker();
  for (const one of middleware) builder = builder.use(one);
  return builder
    .implementJobTypeBatch(options as unknown as Options<"task">)
    .start({ pollIntervalMs: 50, shutdownTimeoutMs: 2_000, waitForStore: true, ...others });
};

/** Starts jobs with the inputs 0, 1, …, in one transaction. */
const startMany = (
  client: BehaviourClient,
  count: number,
  typeName = "task",
): Promise<readonly StartedSequence[]> =>
  client.transact(async (tx) => {
    const started: StartedSequence[] = [];
    for (let index = 0; index < count; index++) {
      started.push(await client.startIn(tx, typeName, { input: index }));
    }
    return started;
  });

const untilAll = async (
  client: BehaviourClient,
  started: readonly StartedSequence[],
  status: JobStatus = "completed",
): Promise<void> => {
  for (const one of started) await client.untilJob(one, status);
};

export const batchingSuite: BehaviourSuite = defineBehaviourSuite("batching", (rule) => {
  rule("an explanation says that a job waits for its batch", async ({ open, stateAdapter }) => {
    const client = await open();
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10, minSize: 3, maxWaitMs: farMs },
      process: async ({ jobs, complete }) => complete(jobs.map(() => ({ output: null }))),
    });
    // An explanation knows the batch from the report of the worker, which its start does not wait for.
    await eventually(
      async () => (await stateAdapter.operator?.listWorkers?.())?.at(0),
      "the report of the worker",
    );
    const [first, second] = await startMany(client, 2);
    const explained = await client.queuert.explain({ id: second?.id ?? "" });
    const ripeAt = new Date((first?.createdAt.getTime() ?? 0) + farMs);
    expect(explained).toMatchObject({
      verdict: "waits",
      reasons: [{ kind: "batch_not_ripe", due: 2, minSize: 3, ripeAt }, { kind: "behind" }],
      runsAt: { estimate: ripeAt },
    });
    const started = await startMany(client, 1);
    await untilAll(client, started);
    await worker.stop();
  });

  rule("due jobs are given to one call, in order, and each has its output", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 5);
    const sizes: number[] = [];
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 3 },
      process: async ({ jobs, complete }) => {
        sizes.push(jobs.length);
        return complete(jobs.map(({ input }) => ({ output: Number(input) * 10 })));
      },
    });
    await untilAll(client, started);
    expect(sizes.sort()).toEqual([2, 3]);
    for (const [index, one] of started.entries()) {
      expect(await client.sequence(one)).toMatchObject({ output: index * 10 });
    }
    await worker.stop();
  });

  rule("a batch waits for `minSize` jobs, in all processes, without a poll", async (test) => {
    const client = await test.open();
    const second = await test.openSecond();
    const sizes: number[] = [];
    const options: Options<"task"> = {
      typeName: "task",
      batch: { maxSize: 10, minSize: 4, maxWaitMs: farMs },
      process: async ({ jobs, complete }) => {
        sizes.push(jobs.length);
        return complete(jobs.map(() => ({ output: null })));
      },
    };
    const workers = [await workOn(client, options), await workOn(second, options)];
    const started = [...(await startMany(client, 3))];
    await sleep(quietMs);
    expect(sizes).toEqual([]);
    started.push(await client.start("task"));
    await untilAll(client, started);
    expect(sizes).toEqual([4]);
    for (const worker of workers) await worker.stop();
  });

  rule("a batch that is too small starts after `maxWaitMs`, without a poll", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 2);
    const sizes: number[] = [];
    const worker = await workOn(
      client,
      {
        typeName: "task",
        batch: { maxSize: 10, minSize: 5, maxWaitMs: 100 },
        process: async ({ jobs, complete }) => {
          sizes.push(jobs.length);
          return complete(jobs.map(() => ({ output: null })));
        },
      },
      { pollIntervalMs: farMs },
    );
    await untilAll(client, started);
    expect(sizes).toEqual([2]);
    await worker.stop();
  });

  rule("each job has an outcome and a retry of its own", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 4, "first");
    const attempts: (readonly [unknown, number])[] = [];
    const worker = await workOn<"first">(client, {
      typeName: "first",
      batch: { maxSize: 10 },
      retryConfig: { initialDelayMs: farMs, maxAttempts: 2 },
      process: async ({ jobs, complete }) => {
        for (const { input, attempt } of jobs) attempts.push([input, attempt]);
        return complete(
          jobs.map(({ input }) => {
            if (input === 0) return { output: "done" };
            if (input === 1) return { error: new Error("boom") };
            if (input === 2) return { retryAfterMs: farMs };
            return { continueWith: { typeName: "next", input: "on" } };
          }),
        );
      },
    });
    const [done, failed, later, continued] = started as [
      StartedSequence,
      StartedSequence,
      StartedSequence,
      StartedSequence,
    ];
    await untilAll(client, [done, continued]);
    expect(await client.untilJob(failed, "pending")).toMatchObject({ attempt: 1 });
    expect((await client.job(failed)).lastAttemptError).toContain("boom");
    const rescheduled = await client.untilJob(later, "pending");
    // It does not count.
    expect(rescheduled).toMatchObject({ attempt: 0, lastAttemptError: null });
    expect((await client.sequence(continued)).status).toBe("pending");
    await worker.stop();
    expect(attempts.map(([input]) => input)).toEqual([0, 1, 2, 3]);
  });

  rule("a job without an outcome has failed, and the others are completed", async ({ open }) => {
    const client = await open();
    const [good, missing, wrong] = await startMany(client, 3);
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10 },
      process: async ({ complete }) =>
        complete([{ output: 1 }, undefined, { output: 1, retryAfterMs: 5 }] as never),
    });
    if (good !== undefined) await client.untilJob(good, "completed");
    for (const one of [missing, wrong]) {
      const failed = await client.untilJob(one ?? { id: "" }, "failed");
      expect(failed).toMatchObject({ lastAttemptError: expect.stringContaining("exactly one of") });
    }
    await worker.stop();
  });

  rule("if the handler throws, every job has failed", async ({ open, userRows }) => {
    const client = await open();
    const started = await startMany(client, 3);
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10 },
      process: async ({ jobs, complete }) => {
        await complete(async (context) => {
          await userRows.insert(context, "undone");
          return jobs.map(() => ({ output: null }));
        });
        throw new UnrecoverableJobError("after complete");
      },
    });
    await untilAll(client, started, "failed");
    expect(await userRows.list()).toEqual([]);
    await worker.stop();
  });

  rule("by callback the writes commit with all completions", async ({ open, userRows }) => {
    const client = await open();
    const started = await startMany(client, 3);
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10 },
      retryConfig: { initialDelayMs: farMs },
      process: async ({ jobs, complete }) =>
        complete(async (context) => {
          for (const { input } of jobs) await userRows.insert(context, String(input));
          return jobs.map(({ input }) =>
            input === 1 ? { error: new Error("boom") } : { output: input },
          );
        }),
    });
    const [first, failed, last] = started as [StartedSequence, StartedSequence, StartedSequence];
    await untilAll(client, [first, last]);
    expect(await client.untilJob(failed, "pending")).toMatchObject({ attempt: 1 });
    expect(await userRows.list()).toEqual(["0", "1", "2"]);
    await worker.stop();
  });

  rule(
    "by callback a lost lease stores nothing, and the others run again uncounted",
    async ({ open, userRows, capabilities }) => {
      const client = await open();
      const started = await startMany(client, 3);
      const [lost] = started as [StartedSequence];
      let calls = 0;
      const attempts: number[] = [];
      const worker = await workOn(client, {
        typeName: "task",
        batch: { maxSize: 10 },
        process: async ({ jobs, complete }) => {
          calls++;
          if (calls === 1 && !capabilities.concurrentWriters) {
            await client.queuert.cancelJobSequences({ ids: [lost.id] });
          }
          return complete(async (context) => {
            await userRows.insert(context, `call ${calls}`);
            if (calls === 1 && capabilities.concurrentWriters) {
              await client.queuert.cancelJobSequences({ ids: [lost.id] });
            }
            for (const { attempt } of jobs) attempts.push(attempt);
            return jobs.map(() => ({ output: null }));
          });
        },
      });
      await untilAll(client, started.slice(1));
      expect((await client.job(lost)).status).toBe("cancelled");
      expect(calls).toBe(2);
      expect(await userRows.list()).toEqual(["call 2"]);
      // All were in their first attempt both times.
      expect(attempts.every((attempt) => attempt === 1)).toBe(true);
      await worker.stop();
    },
  );

  rule("an error of the transaction is the failure of all completions", async (test) => {
    const { stateAdapter } = test;
    let refusals = 0;
    const refusing = interceptState(stateAdapter, {
      beforeCommit: () => {
        if (refusals++ === 0) throw new UnrecoverableJobError("refused");
      },
    });
    const client = await test.open();
    const started = await startMany(client, 2);
    const broken = await test.open({ stateAdapter: refusing });
    const worker = await workOn(broken, {
      typeName: "task",
      batch: { maxSize: 10 },
      process: async ({ jobs, complete }) => complete(() => jobs.map(() => ({ output: null }))),
    });
    await untilAll(client, started, "failed");
    await worker.stop();
  });

  rule("an output that cannot be stored undoes a callback for that job alone", async (test) => {
    const client = await test.open();
    const [bad, good] = await startMany(client, 2);
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10 },
      process: async ({ jobs, complete }) =>
        complete(async (context) => {
          await test.userRows.insert(context, `of ${jobs.length}`);
          return jobs.map(({ input }) => ({
            output: input === 0 ? (Symbol("bad") as never) : null,
          }));
        }),
    });
    await client.untilJob(bad ?? { id: "" }, "failed");
    expect(await client.untilJob(good ?? { id: "" }, "completed")).toMatchObject({ attempt: 1 });
    expect(await test.userRows.list()).toEqual(["of 1"]);
    await worker.stop();
  });

  rule("middleware runs around each job, and sees its error", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 3);
    const seen: string[] = [];
    const worker = await workOn(
      client,
      {
        typeName: "task",
        batch: { maxSize: 10 },
        process: async ({ jobs, complete }) => {
          seen.push(`call of ${jobs.length}`);
          return complete(
            jobs.map(({ input }) =>
              input === 2 ? { error: new UnrecoverableJobError("bad") } : { output: null },
            ),
          );
        },
      },
      {
        middleware: [
          async ({ job }, next) => {
            // Refused before the call.
            if (job.input === 1) throw new UnrecoverableJobError("not this one");
            try {
              return await next();
            } catch (error) {
              seen.push(`${String(job.input)}: ${(error as Error).message}`);
              throw error;
            }
          },
        ],
      },
    );
    await client.untilJob(started[0] ?? { id: "" }, "completed");
    await untilAll(client, started.slice(1), "failed");
    expect(seen).toEqual(["call of 2", "2: bad"]);
    await worker.stop();
  });

  rule("a batch that takes too long has failed, and its signal is aborted", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 2);
    const reasons: unknown[] = [];
    const worker = await workOn(client, {
      typeName: "task",
      batch: { maxSize: 10 },
      timeoutMs: 50,
      retryConfig: { maxAttempts: 1 },
      process: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(new Error("ended"));
          });
        }),
    });
    await untilAll(client, started, "failed");
    expect(reasons).toEqual(["timeout"]);
    await worker.stop();
  });

  rule("a batch occupies one slot, beside jobs of other types", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const batched = await startMany(client, 6);
    const alone = await client.start("other");
    const worker = await client.queuert
      .createWorker()
      .implementJobTypeBatch({
        typeName: "task",
        batch: { maxSize: 3 },
        process: async ({ jobs, complete }) => {
          await held.pass();
          return complete(jobs.map(() => ({ output: null })));
        },
      })
      .implementJobType({ typeName: "other", process: async ({ complete }) => complete(null) })
      .start({ concurrency: 3, pollIntervalMs: 50, shutdownTimeoutMs: 2_000 });
    // Two batches are held: the third slot is free.
    await held.arrived(2);
    await client.until(alone);
    held.open();
    await untilAll(client, batched);
    await worker.stop();
  });

  rule("`processOnce` leaves an unripe batch, and `drain` does not wait", async ({ open }) => {
    const client = await open();
    const started = await startMany(client, 2);
    const builder = client.queuert.createWorker().implementJobTypeBatch({
      typeName: "task",
      batch: { maxSize: 10, minSize: 5, maxWaitMs: farMs },
      process: async ({ jobs, complete }) => complete(jobs.map(() => ({ output: null }))),
    });
    const once = await builder.processOnce({ budgetMs: 10_000 });
    expect(once.completed).toBe(0);
    expect(once.nextDueInMs).toBeGreaterThan(0);
    expect((await builder.drain()).completed).toBe(2);
    await untilAll(client, started);
  });

  rule("wrong options are refused by name", async ({ open }) => {
    const { queuert } = await open();
    const implement = async (options: object): Promise<unknown> =>
      queuert.createWorker().implementJobTypeBatch({
        typeName: "task",
        process: async () => undefined,
        ...options,
      } as never);
    for (const [field, batch] of [
      ["batch", undefined],
      ["batch.maxSize", {}],
      ["batch.maxSize", { maxSize: 1_001 }],
      ["batch.minSize", { maxSize: 5, minSize: 6 }],
      ["batch.maxWaitMs", { maxSize: 5, maxWaitMs: -1 }],
      ["batch.size", { maxSize: 5, size: 3 }],
    ] as const) {
      expect(await rejection(implement({ batch }))).toMatchObject({
        message: expect.stringContaining(field),
      });
    }
    const both = async (): Promise<unknown> =>
      queuert.createWorker().implementJobType({
        ...{ typeName: "task", process: async () => undefined, batch: { maxSize: 5 } },
      } as never);
    expect(await rejection(both())).toMatchObject({
      message: expect.stringContaining("implementJobTypeBatch"),
    });
  });
});
