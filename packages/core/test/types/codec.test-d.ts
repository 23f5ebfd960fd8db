import { describe, expectTypeOf, it } from "vitest";
import { defineCodedJobTypes } from "../../src/job-types/define-job-types.ts";
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
  DefineSignal,
} from "../../src/job-types/markers.ts";
import type { JobInput, JobOutput } from "../../src/public-types/types-of-definitions.ts";
import type { Queuert } from "../../src/queuert-types.ts";
import type { TestStateAdapter } from "./fixtures.ts";
import { client } from "./fixtures.ts";

const jobTypes = defineCodedJobTypes<{
  bill: { input: { due: Date }; output: DefineContinuationOutput<"send"> | { total: bigint } };
  send: { input: DefineContinuationInput<Map<string, Date>>; output: Set<number> };
  report: { input: void; output: void; blockers: [DefineBlocker<"bill">, DefineBlocker<"paid">] };
  paid: DefineSignal<{ at: Date }>;
}>();
declare const queuert: Queuert<typeof jobTypes, TestStateAdapter>;

describe("job types with a codec", () => {
  it("are read as they were written", () => {
    expectTypeOf<JobInput<typeof jobTypes, "bill">>().toEqualTypeOf<{ due: Date }>();
    expectTypeOf<JobInput<typeof jobTypes, "send">>().toEqualTypeOf<Map<string, Date>>();
    expectTypeOf<JobOutput<typeof jobTypes, "bill">>().toEqualTypeOf<{ total: bigint }>();
    expectTypeOf<JobOutput<typeof jobTypes, "send">>().toEqualTypeOf<Set<number>>();
    expectTypeOf<JobOutput<typeof jobTypes, "report">>().toEqualTypeOf<void>();
  });

  it("reach handlers, blockers and waits", async () => {
    queuert.createWorker().implementJobType({
      typeName: "report",
      process: async ({ job, complete }) => {
        const [bill, paid] = job.blockers;
        expectTypeOf(bill.output).toEqualTypeOf<{ total: bigint } | Set<number>>();
        expectTypeOf(paid.output).toEqualTypeOf<{ at: Date }>();
        return complete(undefined);
      },
    });
    const bill = await queuert.startJobSequence({
      client,
      typeName: "bill",
      input: { due: new Date() },
    });
    expectTypeOf(bill.input).toEqualTypeOf<{ due: Date }>();
  });

  it("keep the checks of names", () => {
    // @ts-expect-error no such job type
    expectTypeOf<JobInput<typeof jobTypes, "nope">>();
    // @ts-expect-error continues to a type that is not defined
    defineCodedJobTypes<{ a: { input: Date; output: DefineContinuationOutput<"b"> } }>();
    // @ts-expect-error the input is written as it is read
    void queuert.startJobSequence({ client, typeName: "bill", input: { due: "2026-11-19" } });
  });
});
