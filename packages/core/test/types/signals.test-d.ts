import { describe, expectTypeOf, it } from "vitest";
import { client, queuert } from "./fixtures.ts";
import type { JobId } from "./fixtures.ts";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import type { DefineSignal } from "../../src/job-types/markers.ts";

describe("signals", () => {
  it("are expected as a blocker, and arrive with their payload", async () => {
    await queuert.startJobSequence({
      client,
      typeName: "refund",
      input: { orderId: 1 },
      startBlockers: async (context) => {
        const signal = await queuert.expectSignal({
          client: context.client,
          typeName: "approval",
          key: "1",
        });
        expectTypeOf(signal.id).toEqualTypeOf<JobId>();
        expectTypeOf(signal.typeName).toEqualTypeOf<"approval">();
        return [signal];
      },
    });
    queuert.createWorker().implementJobType({
      typeName: "refund",
      process: async ({ job, complete }) => {
        expectTypeOf(job.blockers[0].output).toEqualTypeOf<{ by: string }>();
        return complete(null);
      },
    });
  });

  it("are sent with a context, or commit by themselves", async () => {
    const signal = { typeName: "approval", key: "1", payload: { by: "ada" } } as const;
    const [sent] = await queuert.sendSignals({ client, signals: [signal] });
    expectTypeOf(sent?.id).toEqualTypeOf<JobId | undefined>();
    if (sent?.sent === false) expectTypeOf(sent.reason).toEqualTypeOf<"already_sent">();
    await queuert.sendSignals({ autocommit: true, signals: [signal, signal] });
    // @ts-expect-error no context, and no autocommit
    await queuert.sendSignals({ signals: [signal] });
    // @ts-expect-error the payload is missing
    await queuert.sendSignals({ client, signals: [{ typeName: "approval", key: "1" }] });
    // @ts-expect-error one of the two
    await queuert.expectSignal({ client, autocommit: true, typeName: "approval", key: "1" });
  });

  it("are null where the wait has ended before", async () => {
    const startBlockers = async () =>
      [await queuert.expectSignal({ client, typeName: "approval", key: "1" })] as const;
    const wait = { waitAtMostMs: 1_000, startBlockers };
    await queuert.startJobSequence({ client, typeName: "reminder", input: null, ...wait });
    queuert.createWorker().implementJobType({
      typeName: "reminder",
      process: async ({ job, complete }) => {
        const [approval] = job.blockers;
        expectTypeOf(approval?.output).toEqualTypeOf<{ by: string } | undefined>();
        // @ts-expect-error it may be null
        void job.blockers[0].output;
        return complete(null);
      },
    });
  });

  it("are a mark of their own in a catalogue", () => {
    defineUnionJobTypes<{ go: DefineSignal<null>; task: { input: null; output: null } }>({
      go: { signal: true },
      task: { entry: true },
    });
    defineUnionJobTypes<{ go: DefineSignal<null> }>({
      // @ts-expect-error no entry
      go: { entry: true },
    });
  });
});
