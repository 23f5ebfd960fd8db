// The jobs of the suite of the kit: a reminder, a job that fails at first, the report of a schedule, and an order.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { defineUnionJobTypes, type JobTypes } from "../../job-types/define-job-types.ts";
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
} from "../../job-types/markers.ts";
import type { Queuert } from "../../queuert-types.ts";
import { defineSchedules } from "../../schedules/define-schedules.ts";
import type { DeclaredSchedules } from "../../public-types/schedules.ts";
import type { TestWorker } from "../../test-kit/test-queuert.ts";

export interface KitDefinitions {
  remind: { input: { to: string }; output: { sent: boolean } };
  flaky: { input: null; output: null };
  report: { input: null; output: null };
  order: {
    input: null;
    output: DefineContinuationOutput<"ship">;
    blockers: [DefineBlocker<"remind">, DefineBlocker<"flaky">];
  };
  ship: { input: DefineContinuationInput<null>; output: { code: string } };
}

export const kitJobTypes: JobTypes<KitDefinitions> = defineUnionJobTypes<KitDefinitions>();

/** Each day at six in the morning. */
export const dailyReport: DeclaredSchedules<KitDefinitions> = defineSchedules(kitJobTypes, {
  report: { typeName: "report", input: null, cron: "0 6 * * *", timeZone: "Europe/Berlin" },
});

/** The runs of process functions, as their side effects. */
export interface KitRecord {
  readonly runs: { readonly typeName: string; readonly scheduledAt: Date }[];
  /** How often the flaky job still fails. */
  failuresLeft: number;
  /** Runs inside the process function of a reminder. */
  during?: (() => Promise<void>) | undefined;
}

export const makeKitWorker = (
  queuert: Queuert<KitDefinitions, AnyStateAdapter>,
  record: KitRecord,
): TestWorker =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "remind",
      process: async ({ job, complete }) => {
        record.runs.push(job);
        await record.during?.();
        return complete({ sent: true });
      },
    })
    .implementJobType({
      typeName: "flaky",
      process: async ({ job, complete }) => {
        record.runs.push(job);
        record.failuresLeft -= 1;
        if (record.failuresLeft >= 0) throw new Error("not yet");
        return complete(null);
      },
    })
    .implementJobType({
      typeName: "report",
      process: async ({ job, complete }) => {
        record.runs.push(job);
        return complete(null);
      },
    })
    .implementJobType({
      typeName: "order",
      process: async ({ complete }) => complete.continueWith({ typeName: "ship", input: null }),
    })
    .implementJobType({
      typeName: "ship",
      process: async ({ complete }) => complete({ code: "1Z" }),
    });
