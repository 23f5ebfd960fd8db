import {
  type DefineBlocker,
  type DefineContinuationOutput,
  type DefineSignal,
  defineUnionJobTypes,
} from "queuert";
import type { DebouncedInput, WaiterInput } from "./control-types.ts";
import type { Errand } from "./errand-types.ts";
import type { Plan } from "./plan.ts";

type Outcome = { path: string } | DefineContinuationOutput<"step" | "gather">;

/** The load's job types. Their names say no more than their shape: the plan says the rest. */
export const jobTypes = defineUnionJobTypes<{
  step: { input: { plan: Plan }; output: Outcome };
  gather: { input: { plan: Plan }; output: Outcome; blockers: DefineBlocker<"step" | "gather">[] };
  // A row of the user's, written in a handler's transaction. No worker implements it.
  row: { input: { jobId: string; leaseVersion: number; path: string }; output: { seen: true } };
  approval: DefineSignal<string>;
  waiter: {
    input: WaiterInput;
    output: { payload: string | null };
    blockers: [DefineBlocker<"approval", "optional">];
  };
  debounced: { input: DebouncedInput; output: { text: string } };
  // Under keys of one limit.
  errand: { input: Errand; output: { name: string } };
  courier: { input: Errand; output: { name: string } };
  // In batches.
  bulk: { input: Errand; output: { name: string } | DefineContinuationOutput<"errand"> };
  // The job of a schedule: how long it runs.
  tick: { input: { workMs: number }; output: null };
}>();
