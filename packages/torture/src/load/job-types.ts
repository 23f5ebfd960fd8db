import { type DefineBlocker, type DefineContinuationOutput, defineUnionJobTypes } from "queuert";
import type { Plan } from "./plan.ts";

type Outcome = { path: string } | DefineContinuationOutput<"step" | "gather">;

/** The load's job types. Their names say no more than their shape: the plan says the rest. */
export const jobTypes = defineUnionJobTypes<{
  step: { input: { plan: Plan }; output: Outcome };
  gather: { input: { plan: Plan }; output: Outcome; blockers: DefineBlocker<"step" | "gather">[] };
  // A row of the user's, written in a handler's transaction. No worker implements it.
  row: { input: { jobId: string; leaseVersion: number; path: string }; output: { seen: true } };
}>();
