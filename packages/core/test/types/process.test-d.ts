import { describe, expectTypeOf, it } from "vitest";
import { queuert } from "./fixtures.ts";
import type { Client } from "./fixtures.ts";
import type { Completion, WorkerMiddleware } from "../../src/queuert-types.ts";

const worker = queuert.createWorker();

describe("the job of a process function", () => {
  it("is running, read from JSON, and knows its sequence", () => {
    worker.implementJobType({
      typeName: "ship",
      process: async ({ job, complete }) => {
        expectTypeOf(job.status).toEqualTypeOf<"running">();
        expectTypeOf(job.input).toEqualTypeOf<{ address: string }>();
        expectTypeOf(job.sequenceTypeName).toEqualTypeOf<"order" | "reship">();
        expectTypeOf(job.leaseVersion).toEqualTypeOf<number>();
        expectTypeOf(job.attempt).toEqualTypeOf<number>();
        expectTypeOf(job.leasedUntil).toEqualTypeOf<Date>();
        expectTypeOf(job.blockers).toEqualTypeOf<readonly []>();
        return complete({ parcel: "" });
      },
    });
    worker.implementJobType({
      typeName: "send",
      process: async ({ job, complete }) => {
        expectTypeOf(job.input.at).toEqualTypeOf<string>();
        return complete({ sentAt: new Date() });
      },
    });
  });

  it("has blockers that have failed where the type declares it", () => {
    worker.implementJobType({
      typeName: "audit",
      process: async ({ job, complete }) => {
        const [send, order] = job.blockers;
        expectTypeOf(send.status).toEqualTypeOf<"completed" | "failed" | "cancelled">();
        if (send.status === "completed") {
          expectTypeOf(send.output).toEqualTypeOf<{ sentAt: string }>();
        }
        if (send.status === "failed") expectTypeOf(send.error).toEqualTypeOf<string>();
        expectTypeOf(order?.typeName).toEqualTypeOf<"order" | undefined>();
        return complete(null);
      },
    });
  });

  it("has completed blockers with their outputs", () => {
    worker.implementJobType({
      typeName: "report",
      process: async ({ job, complete }) => {
        expectTypeOf(job.blockers[0].output).toEqualTypeOf<{ sentAt: string }>();
        const second = job.blockers[1];
        if (second.typeName === "reship") {
          expectTypeOf(second.output).toEqualTypeOf<{ parcel: string }>();
        }
        // @ts-expect-error there are two
        void job.blockers[2];
        return complete({ rows: 1 });
      },
    });
    worker.implementJobType({
      typeName: "digest",
      process: async ({ job, complete }) => {
        for (const blocker of job.blockers) {
          expectTypeOf(blocker.output).toEqualTypeOf<{ sentAt: string }>();
        }
        return complete(async ({ continueWith }) =>
          continueWith({
            typeName: "publish",
            input: { title: "" },
            startBlockers: async () => [{ id: "job-1", typeName: "send" }],
          }),
        );
      },
    });
  });
});

describe("signal and prepare", () => {
  it("give typed reasons and the callback's result", () => {
    worker.implementJobType({
      typeName: "poll",
      process: async ({ signal, prepare, complete }) => {
        if (signal.reason === "shutdown" || signal.reason === "timeout") signal.throwIfAborted();
        // @ts-expect-error no such reason
        if (signal.reason === "bored") return complete({ found: false });
        const rows = await prepare({ mode: "staged" }, async ({ client }) => {
          expectTypeOf(client).toEqualTypeOf<Client>();
          return client.query("");
        });
        expectTypeOf(rows).toEqualTypeOf<unknown[]>();
        expectTypeOf(await prepare({ mode: "atomic" })).toEqualTypeOf<void>();
        // @ts-expect-error no such mode
        await prepare({ mode: "eventual" });
        return complete({ found: true });
      },
    });
  });
});

describe("complete", () => {
  it("takes a value, a callback, and a continuation in either form", () => {
    worker.implementJobType({
      typeName: "order",
      process: async ({ job, complete }) => {
        if (job.input.orderId === 0) return complete({ skipped: true });
        if (job.input.orderId === 1) return complete(() => ({ skipped: true }));
        if (job.input.orderId === 2) {
          return complete.continueWith({
            typeName: "ship",
            input: { address: "" },
            schedule: { afterMs: 1 },
            priority: 1,
          });
        }
        return complete(async ({ client, continueWith }) => {
          expectTypeOf(client).toEqualTypeOf<Client>();
          if (job.attempt > 1) return { skipped: true };
          return continueWith({ typeName: "charge", input: { cents: 1 } });
        });
      },
    });
  });

  it("refuses the output of another type", () => {
    worker.implementJobType({
      typeName: "poll",
      // @ts-expect-error not an output of this type
      process: async ({ complete }) => complete({ parcel: "" }),
    });
    worker.implementJobType({
      typeName: "poll",
      // @ts-expect-error not an output of this type
      process: async ({ complete }) => complete(async () => ({ parcel: "" })),
    });
  });

  it("refuses a value for a type that always continues", () => {
    worker.implementJobType({
      typeName: "charge",
      // @ts-expect-error use continueWith
      process: async ({ complete }) => complete({ cents: 1 }),
    });
    worker.implementJobType({
      typeName: "charge",
      // @ts-expect-error the callback must continue
      process: async ({ complete }) => complete(async () => ({ cents: 1 })),
    });
  });

  it("refuses a continuation the output does not name", () => {
    worker.implementJobType({
      typeName: "order",
      process: async ({ complete }) =>
        // @ts-expect-error not a continuation of this type
        complete.continueWith({ typeName: "refuse", input: null }),
    });
    worker.implementJobType({
      typeName: "order",
      process: async ({ complete }) =>
        complete(async ({ continueWith }) =>
          // @ts-expect-error not a continuation of this type
          continueWith({ typeName: "refuse", input: null }),
        ),
    });
    worker.implementJobType({
      typeName: "send",
      process: async ({ complete }) =>
        complete(async ({ continueWith }) => {
          // @ts-expect-error this type never continues
          await continueWith({ typeName: "send" });
          return { sentAt: new Date() };
        }),
    });
    worker.implementJobType({
      typeName: "send",
      // @ts-expect-error this type never continues
      process: async ({ complete }) => complete.continueWith({ typeName: "send" }),
    });
  });

  it("refuses a continuation by value to a type with blockers", () => {
    worker.implementJobType({
      typeName: "digest",
      process: async ({ complete }) =>
        // @ts-expect-error use the callback form
        complete.continueWith({ typeName: "publish", input: { title: "" } }),
    });
  });

  it("must be returned", () => {
    worker.implementJobType({
      typeName: "poll",
      // @ts-expect-error the completion is not returned
      process: async ({ complete }) => {
        await complete({ found: true });
      },
    });
    worker.implementJobType({
      typeName: "poll",
      // @ts-expect-error an output is not a completion
      process: async () => ({ found: true }),
    });
    worker.implementJobType({
      typeName: "order",
      process: async ({ complete }) =>
        // @ts-expect-error the continuation is not returned
        complete(async ({ continueWith }) => {
          await continueWith({ typeName: "ship", input: { address: "" } });
        }),
    });
  });
});

describe("the worker builder", () => {
  it("chains, and refuses the same type twice", async () => {
    const running = await queuert
      .createWorker()
      .use(async ({ job, attempt, workerId, signal }, next) => {
        expectTypeOf(job.typeName).toEqualTypeOf<string>();
        expectTypeOf(attempt).toEqualTypeOf<number>();
        expectTypeOf(workerId).toEqualTypeOf<string>();
        signal.throwIfAborted();
        return next();
      })
      .implementJobType({
        typeName: "poll",
        process: async ({ complete }) => complete({ found: true }),
        retryConfig: { initialDelayMs: 1, jitter: "none", maxAttempts: 3 },
        leaseConfig: { leaseMs: 10, renewIntervalMs: 5 },
        timeoutMs: 5,
        concurrency: 2,
        middleware: [async (_context, next) => next()],
      })
      .implementJobType({
        typeName: "ship",
        process: async ({ complete }) => complete({ parcel: "" }),
        retryConfig: { delayMs: (attempt) => attempt * 10 },
      })
      .start({ workerId: "w", concurrency: 4, shutdownGraceMs: 1 });
    expectTypeOf(running.workerId).toEqualTypeOf<string>();
    expectTypeOf(running.stop()).resolves.toBeVoid();
    expectTypeOf(running()).resolves.toBeVoid();

    queuert
      .createWorker()
      .implementJobType({
        typeName: "poll",
        process: async ({ complete }) => complete({ found: true }),
      })
      .implementJobType({
        // @ts-expect-error implemented already
        typeName: "poll",
        process: async ({ complete }) => complete({ found: true }),
      });
  });

  it("refuses an unknown type, unknown options and mixed retry policies", () => {
    worker.implementJobType({
      // @ts-expect-error no such type
      typeName: "pol",
      process: async () => null as unknown as Completion,
    });
    worker.implementJobType({
      typeName: "poll",
      process: async ({ complete }) => complete({ found: true }),
      // @ts-expect-error a function decides alone
      retryConfig: { delayMs: () => 1, jitter: "none" },
    });
    // @ts-expect-error no such option
    void worker.start({ threads: 1 });
  });

  it("refuses a middleware that does not return the result of next", () => {
    // @ts-expect-error nothing is returned
    worker.use(async (_context, next) => {
      await next();
    });
    const timed: WorkerMiddleware = async ({ job }, next) => {
      if (job.leaseVersion > 1) return next();
      return next();
    };
    worker.use(timed);
  });
});
