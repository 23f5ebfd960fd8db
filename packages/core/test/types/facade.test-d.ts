import { describe, expectTypeOf, it } from "vitest";
import { client, id, queuert } from "./fixtures.ts";
import type { JobTypeDefinitionsOf, JobTypes } from "../../src/job-types/define-job-types.ts";
import type { Queuert } from "../../src/queuert-types.ts";
import type { Client, Definitions, JobId, TestStateAdapter } from "./fixtures.ts";

describe("Queuert", () => {
  it("is named by the definitions, or by the result of defineUnionJobTypes", () => {
    expectTypeOf<Queuert<JobTypes<Definitions>, TestStateAdapter>>().toEqualTypeOf(queuert);
    expectTypeOf<JobTypeDefinitionsOf<JobTypes<Definitions>>>().toEqualTypeOf<Definitions>();
  });
});

describe("startJobSequence", () => {
  it("takes the input as written and answers it as read", async () => {
    const sequence = await queuert.startJobSequence({
      client,
      typeName: "send",
      input: { to: "a@b", at: new Date() },
      deduplication: { key: "k", strategy: "all", windowMs: 10 },
      schedule: { afterMs: 10 },
      priority: 2,
    });
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      parent: sequence,
    });
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      // @ts-expect-error not an id of this store
      parent: { id: "x" },
    });
    expectTypeOf(sequence.id).toEqualTypeOf<JobId>();
    expectTypeOf(sequence.typeName).toEqualTypeOf<"send">();
    expectTypeOf(sequence.input).toEqualTypeOf<{ to: string; at: string; note?: string }>();
    expectTypeOf(sequence.deduplicated).toEqualTypeOf<boolean>();
    if (sequence.status === "completed") {
      expectTypeOf(sequence.output).toEqualTypeOf<{ sentAt: string }>();
      expectTypeOf(sequence.completedAt).toEqualTypeOf<Date>();
    }
    if (sequence.status === "failed") expectTypeOf(sequence.error).toEqualTypeOf<string>();
  });

  it("knows every output a sequence can end with", async () => {
    const sequence = await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
    });
    if (sequence.status !== "completed") return;
    expectTypeOf(sequence.output).toEqualTypeOf<
      { skipped: true } | { parcel: string } | { refused: string }
    >();
  });

  it("refuses a wrong, missing or surplus field", async () => {
    // @ts-expect-error no context
    await queuert.startJobSequence({ typeName: "order", input: { orderId: 1 } });
    // @ts-expect-error the input is a number
    await queuert.startJobSequence({ client, typeName: "order", input: { orderId: "1" } });
    // @ts-expect-error no input
    await queuert.startJobSequence({ client, typeName: "order" });
    // @ts-expect-error an input of another type
    await queuert.startJobSequence({ client, typeName: "order", input: { day: "" } });
    // @ts-expect-error no such option
    await queuert.startJobSequence({ client, typeName: "order", input: { orderId: 1 }, prio: 1 });
    // @ts-expect-error no such type
    await queuert.startJobSequence({ client, typeName: "odrer", input: { orderId: 1 } });
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      // @ts-expect-error both at and afterMs
      schedule: { at: new Date(), afterMs: 1 },
    });
  });

  it("takes `autocommit` or a context, not both", async () => {
    const order = { typeName: "order", input: { orderId: 1 } } as const;
    const started = await queuert.startJobSequence({ autocommit: true, ...order });
    expectTypeOf(started.typeName).toEqualTypeOf<"order">();
    const [first] = await queuert.startJobSequences({ autocommit: true, sequences: [order] });
    expectTypeOf(first.typeName).toEqualTypeOf<"order">();
    await queuert.startJobSequence({ client, autocommit: undefined, ...order });
    await queuert.startJobSequence({ client, autocommit: false, ...order });
    // @ts-expect-error a context beside it
    await queuert.startJobSequence({ client, autocommit: true, ...order });
    // @ts-expect-error no context
    await queuert.startJobSequence({ autocommit: false, ...order });
    // @ts-expect-error not a boolean
    await queuert.startJobSequence({ autocommit: "yes", ...order });
    await queuert.startJobSequence({
      autocommit: true,
      typeName: "report",
      input: { month: "" },
      startBlockers: async (context) => {
        expectTypeOf(context.client).toEqualTypeOf<Client>();
        const { job, ...transaction } = context;
        expectTypeOf(job.typeName).toEqualTypeOf<"report">();
        const input = { to: "", at: new Date() };
        return [
          await queuert.startJobSequence({ ...transaction, typeName: "send", input }),
          await queuert.startJobSequence({ ...transaction, ...order }),
        ];
      },
    });
  });

  it("refuses an internal type", async () => {
    // @ts-expect-error reached by continueWith only
    await queuert.startJobSequence({ client, typeName: "charge", input: { cents: 1 } });
  });

  it("requires blockers, in order, of the types that declare them", async () => {
    const sequence = await queuert.startJobSequence({
      client,
      typeName: "report",
      input: { month: "" },
      onBlockerFailure: "fail",
      startBlockers: async ({ job }) => {
        expectTypeOf(job.typeName).toEqualTypeOf<"report">();
        expectTypeOf(job.status).toEqualTypeOf<"blocked" | "pending">();
        expectTypeOf(job).not.toHaveProperty("blockers");
        const send = await queuert.startJobSequence({
          client,
          typeName: "send",
          input: { to: "", at: new Date() },
        });
        const reship = await queuert.startJobSequence({
          client,
          typeName: "reship",
          input: { parcel: "" },
        });
        return [send, reship];
      },
    });
    expectTypeOf(sequence.typeName).toEqualTypeOf<"report">();

    await queuert.startJobSequence({
      client,
      typeName: "report",
      input: { month: "" },
      // @ts-expect-error its handler expects completed blockers
      onBlockerFailure: "continue",
      startBlockers: async () => [
        { id, typeName: "send" as const },
        { id, typeName: "order" as const },
      ],
    });
    await queuert.startJobSequence({
      client,
      typeName: "audit",
      input: null,
      onBlockerFailure: "continue",
      startBlockers: async () => [{ id, typeName: "send" as const }],
    });
    // @ts-expect-error no blockers
    await queuert.startJobSequence({ client, typeName: "report", input: { month: "" } });
    await queuert.startJobSequence({
      client,
      typeName: "report",
      input: { month: "" },
      // @ts-expect-error one blocker too few
      startBlockers: async () => [{ id, typeName: "send" as const }],
    });
    await queuert.startJobSequence({
      client,
      typeName: "report",
      input: { month: "" },
      // @ts-expect-error the wrong order
      startBlockers: async () => [
        { id, typeName: "order" as const },
        { id, typeName: "send" as const },
      ],
    });
  });

  it("takes any number where the tuple is open", async () => {
    await queuert.startJobSequence({
      client,
      typeName: "digest",
      input: { day: "" },
      startBlockers: async () =>
        Promise.all(
          ["a", "b"].map(async (to) =>
            queuert.startJobSequence({ client, typeName: "send", input: { to, at: new Date() } }),
          ),
        ),
    });
    await queuert.startJobSequence({
      client,
      typeName: "digest",
      input: { day: "" },
      startBlockers: async () => [],
    });
  });

  it("refuses blockers for the types that declare none", async () => {
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      // @ts-expect-error declares no blockers
      startBlockers: async () => [],
    });
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      // @ts-expect-error declares no blockers
      onBlockerFailure: "fail",
    });
  });

  it("takes a type name that is one of several", async () => {
    const typeName = "order" as "order" | "reship";
    const sequence = await queuert.startJobSequence({
      client,
      typeName,
      input: { orderId: 1, parcel: "" },
    });
    expectTypeOf(sequence.typeName).toEqualTypeOf<"order" | "reship">();
  });
});

describe("startJobSequences", () => {
  it("types each element by its own type name", async () => {
    const [send, report] = await queuert.startJobSequences({
      client,
      sequences: [
        { typeName: "send", input: { to: "", at: new Date() }, priority: 1 },
        {
          typeName: "report",
          input: { month: "" },
          startBlockers: async ({ job }) => {
            expectTypeOf(job.typeName).toEqualTypeOf<"report">();
            return [
              { id, typeName: "send" as const },
              { id, typeName: "order" as const },
            ];
          },
        },
      ],
    });
    expectTypeOf(send.typeName).toEqualTypeOf<"send">();
    expectTypeOf(report.typeName).toEqualTypeOf<"report">();
    if (report.status === "completed") {
      expectTypeOf(report.output).toEqualTypeOf<{ rows: number }>();
    }
  });

  it("takes a list of unknown length", async () => {
    const sequences = await queuert.startJobSequences({
      client,
      sequences: [1, 2].map((orderId) => ({ typeName: "order" as const, input: { orderId } })),
    });
    expectTypeOf(sequences).items.toHaveProperty("typeName").toEqualTypeOf<"order">();
  });

  it("refuses the arguments that startJobSequence refuses", async () => {
    await queuert.startJobSequences({
      client,
      sequences: [
        { typeName: "send", input: { to: "", at: new Date() } },
        // @ts-expect-error the input of another type
        { typeName: "order", input: { to: "" } },
      ],
    });
    await queuert.startJobSequences({
      client,
      // @ts-expect-error reached by continueWith only
      sequences: [{ typeName: "charge", input: { cents: 1 } }],
    });
    await queuert.startJobSequences({
      client,
      // @ts-expect-error no blockers
      sequences: [{ typeName: "report", input: { month: "" } }],
    });
  });
});

describe("transaction and withNotify", () => {
  it("return the result of the callback", async () => {
    const rows = await queuert.transaction(async (context) => context.client.query("select 1"));
    expectTypeOf(rows).toEqualTypeOf<unknown[]>();
    expectTypeOf(await queuert.withNotify(async () => 1)).toEqualTypeOf<number>();
    await queuert.transaction(async (context) =>
      queuert.startJobSequence({ ...context, typeName: "order", input: { orderId: 1 } }),
    );
  });
});

describe("waitForJobSequenceCompletion", () => {
  it("answers the completed sequence", async () => {
    const sequence = await queuert.waitForJobSequenceCompletion({
      typeName: "order",
      id,
      timeoutMs: 1_000,
    });
    expectTypeOf(sequence.status).toEqualTypeOf<"completed">();
    expectTypeOf(sequence.output).toEqualTypeOf<
      { skipped: true } | { parcel: string } | { refused: string }
    >();
  });

  it("refuses an internal type and an id of another kind", async () => {
    // @ts-expect-error no sequence starts with it
    await queuert.waitForJobSequenceCompletion({ typeName: "ship", id, timeoutMs: 1 });
    // @ts-expect-error not a job id
    await queuert.waitForJobSequenceCompletion({ typeName: "order", id: "1", timeoutMs: 1 });
  });
});

describe("completeJobSequence", () => {
  it("narrows by type name and goes on with the job it continued to", async () => {
    const result = await queuert.completeJobSequence({
      client,
      typeName: "order",
      id,
      complete: async ({ job, complete }) => {
        expectTypeOf(job.status).toEqualTypeOf<"blocked" | "pending" | "running">();
        expectTypeOf(job.sequenceTypeName).toEqualTypeOf<"order">();
        if (job.typeName !== "order") return null;
        expectTypeOf(job.input).toEqualTypeOf<{ orderId: number }>();
        const next = await complete(job, async ({ client, continueWith }) => {
          await client.query("");
          return continueWith({ typeName: "ship", input: { address: "" } });
        });
        expectTypeOf(next.typeName).toEqualTypeOf<"ship">();
        expectTypeOf(next.status).toEqualTypeOf<"blocked" | "pending">();
        const done = await complete(next, async () => ({ parcel: "p" }));
        expectTypeOf(done.status).toEqualTypeOf<"completed">();
        return done.completedAt;
      },
    });
    expectTypeOf(result).toEqualTypeOf<Date | null>();
  });

  it("refuses another type's output and a job that is not narrowed", async () => {
    await queuert.completeJobSequence({
      client,
      typeName: "order",
      id,
      complete: async ({ job, complete }) => {
        // @ts-expect-error the outputs of a union of types cannot be told apart
        await complete(job, async () => ({ skipped: true as const }));
        if (job.typeName === "ship") {
          // @ts-expect-error the output of another type
          await complete(job, async () => ({ skipped: true }));
        }
      },
    });
  });
});

describe("options", () => {
  it("may be undefined", async () => {
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      schedule: undefined,
      priority: undefined,
      deduplication: undefined,
      parent: undefined,
      startBlockers: undefined,
      onBlockerFailure: undefined,
    });
    await queuert.listJobs({
      typeName: undefined,
      sequenceTypeName: undefined,
      status: undefined,
      sequenceId: undefined,
      rootSequenceId: undefined,
      createdFrom: undefined,
      createdTo: undefined,
      order: undefined,
      limit: undefined,
      cursor: undefined,
    });
    await queuert.listJobSequences({ typeName: undefined, status: undefined });
    await queuert.getJob({ id, typeName: undefined });
    await queuert.deleteFinishedJobSequences({ completedForMs: undefined, signal: undefined });
    await queuert.waitForJobSequenceCompletion({
      typeName: "order",
      id,
      timeoutMs: 1,
      pollIntervalMs: undefined,
      signal: undefined,
    });
    await queuert.createWorker().start({
      workerId: undefined,
      concurrency: undefined,
      prefetch: undefined,
      waitForStore: undefined,
      retention: { completedForMs: undefined, intervalMs: undefined },
    });
    queuert.createWorker().implementJobType({
      typeName: "send",
      process: async ({ complete }) => complete({ sentAt: new Date() }),
      retryConfig: { maxAttempts: undefined, delayMs: undefined },
      leaseConfig: { leaseMs: undefined, renewIntervalMs: undefined },
      timeoutMs: undefined,
      concurrency: undefined,
      middleware: undefined,
    });
  });
});

describe("deleteJobSequences, retryFailedJobs, triggerJobs", () => {
  it("take ids, in a transaction or on their own", async () => {
    await queuert.deleteJobSequences({ client, rootSequenceIds: [id] });
    const retried = await queuert.retryFailedJobs({ ids: [id] });
    expectTypeOf(retried).items.toHaveProperty("retried").toEqualTypeOf<boolean>();
    await queuert.retryFailedJobs({ client, ids: [id] });
    await queuert.triggerJobs({ ids: [id] });
    // @ts-expect-error deletes only in a transaction
    await queuert.deleteJobSequences({ rootSequenceIds: [id] });
    // @ts-expect-error not a job id
    await queuert.triggerJobs({ ids: ["x"] });
  });
});

describe("cancelJobSequences", () => {
  it("takes ids of the store, with or without a context", async () => {
    const cancelled = await queuert.cancelJobSequences({ ids: [id], reason: "withdrawn" });
    await queuert.cancelJobSequences({ client, ids: [id], tree: false, dependants: "fail" });
    expectTypeOf(cancelled.cancelled).toEqualTypeOf<number>();
    expectTypeOf(cancelled.refused[0]?.id).toEqualTypeOf<JobId | undefined>();
    // @ts-expect-error not an id of this store
    await queuert.cancelJobSequences({ ids: ["x"] });
    // @ts-expect-error no such policy
    await queuert.cancelJobSequences({ ids: [id], dependants: "ignore" });
  });

  it("gives cancelled jobs and sequences a reason", async () => {
    const sequence = await queuert.getJobSequence({ id, typeName: "send" });
    if (sequence?.status !== "cancelled") return;
    expectTypeOf(sequence.cancelReason).toEqualTypeOf<string | null>();
    expectTypeOf(sequence.cancelledAt).toEqualTypeOf<Date>();
  });

  it("is an option of deduplication and of deletion, by name", async () => {
    const deduplication = { key: "k", whenTaken: "cancel" } as const;
    await queuert.startJobSequence({
      client,
      typeName: "order",
      input: { orderId: 1 },
      deduplication,
    });
    await queuert.deleteJobSequences({ client, rootSequenceIds: [id], dependants: "delete" });
  });
});

describe("pause, resume and getPauses", () => {
  it("take job types by name, or everything, but not both", async () => {
    await queuert.pause({ jobTypes: ["send", "order"], forMs: 1_000, note: "n" });
    await queuert.pause({ everything: true });
    expectTypeOf(await queuert.resume({ jobTypes: ["send"] })).toEqualTypeOf<{
      readonly resumed: number;
    }>();
    // @ts-expect-error not a job type
    await queuert.pause({ jobTypes: ["sned"] });
    // @ts-expect-error one of the two
    await queuert.pause({ jobTypes: ["send"], everything: true });
    // @ts-expect-error neither
    await queuert.resume({});
    const [pause] = await queuert.getPauses();
    expectTypeOf(pause?.until).toEqualTypeOf<Date | null | undefined>();
  });
});

describe("processOnce and drain", () => {
  it("are ends of the builder", async () => {
    const worker = queuert.createWorker();
    const result = await worker.processOnce({ budgetMs: 50_000, concurrency: 20, maxJobs: 5 });
    expectTypeOf(result.nextDueInMs).toEqualTypeOf<number | null>();
    expectTypeOf(await worker.drain()).toEqualTypeOf(result);
    // @ts-expect-error a budget is needed
    await worker.processOnce({ concurrency: 20 });
  });
});
