import { describe, expectTypeOf, it } from "vitest";
import { client, queuert } from "./fixtures.ts";
import type { Client, JobId } from "./fixtures.ts";

describe("batches", () => {
  const builder = queuert.createWorker();
  const batch = { maxSize: 10 };

  it("give jobs of the type, and take an outcome for each", () => {
    builder.implementJobTypeBatch({
      typeName: "send",
      batch: { maxSize: 10, minSize: 2, maxWaitMs: 500, perKey: true },
      process: async ({ jobs, signal, complete }) => {
        expectTypeOf(jobs[0]?.input.to).toEqualTypeOf<string | undefined>();
        expectTypeOf(jobs[0]?.id).toEqualTypeOf<JobId | undefined>();
        expectTypeOf(signal.reason).not.toBeAny();
        return complete(
          jobs.map((_job, index) => {
            if (index === 0) return { error: new Error("boom") };
            if (index === 1) return { retryAfterMs: 1_000 };
            return { output: { sentAt: new Date() } };
          }),
        );
      },
    });
  });

  it("refuse a wrong output, two outcomes of one job, and no result", () => {
    builder.implementJobTypeBatch({
      typeName: "send",
      batch,
      // @ts-expect-error the output has another type
      process: async ({ jobs, complete }) => complete(jobs.map(() => ({ output: 5 }))),
    });
    builder.implementJobTypeBatch({
      typeName: "send",
      batch,
      process: async ({ jobs, complete }) =>
        // @ts-expect-error one of the two
        complete(jobs.map(() => ({ output: { sentAt: new Date() }, retryAfterMs: 5 }))),
    });
    // @ts-expect-error nothing is returned
    builder.implementJobTypeBatch({ typeName: "send", batch, process: async () => undefined });
  });

  it("continue to the types of the definition", () => {
    builder.implementJobTypeBatch({
      typeName: "order",
      batch,
      process: async ({ jobs, complete }) =>
        complete(
          jobs.map(({ input }) => ({
            continueWith: { typeName: "charge", input: { cents: input.orderId } },
          })),
        ),
    });
    builder.implementJobTypeBatch({
      typeName: "order",
      batch,
      process: async ({ jobs, complete }) =>
        // @ts-expect-error no continuation of this type
        complete(jobs.map(() => ({ continueWith: { typeName: "send", input: null } }))),
    });
    // It always continues.
    builder.implementJobTypeBatch({
      typeName: "charge",
      batch,
      // @ts-expect-error it has no output
      process: async ({ jobs, complete }) => complete(jobs.map(() => ({ output: null }))),
    });
  });

  it("complete by callback in a transaction, where blockers may be started", () => {
    builder.implementJobTypeBatch({
      typeName: "digest",
      batch,
      process: async ({ jobs, complete }) =>
        complete(async (context) => {
          expectTypeOf(context.client).toEqualTypeOf<Client>();
          const startBlockers = async () => {
            const input = { to: "ada", at: new Date() };
            return [await queuert.startJobSequence({ client, typeName: "send", input })] as const;
          };
          return jobs.map(({ input }) => ({
            continueWith: {
              typeName: "publish" as const,
              input: { title: input.day },
              startBlockers,
            },
          }));
        }),
    });
    builder.implementJobTypeBatch({
      typeName: "digest",
      batch,
      process: async ({ jobs, complete }) =>
        complete(
          // @ts-expect-error by value no blockers can be started
          jobs.map(() => ({ continueWith: { typeName: "publish", input: { title: "" } } })),
        ),
    });
  });

  it("are implemented once in a worker", () => {
    const process = async () => undefined as never;
    builder
      .implementJobTypeBatch({ typeName: "send", batch, process })
      // @ts-expect-error this worker implements job type 'send' already
      .implementJobType({ typeName: "send", process });
    // @ts-expect-error a signal
    builder.implementJobTypeBatch({ typeName: "approval", batch, process });
  });
});
