import {
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";

/** The background work of a small shop after a sign-up. */
export const jobTypes = defineUnionJobTypes<{
  // a chain: each job continues to the next
  "check-payment": {
    input: { userId: number };
    output: DefineContinuationOutput<"prepare-account">;
  };
  // fan-in: runs when every page has been rendered
  "prepare-account": {
    input: DefineContinuationInput<{ userId: number }>;
    output: DefineContinuationOutput<"approve-account">;
    blockers: [DefineBlocker<"render-page">, ...DefineBlocker<"render-page">[]];
  };
  // no worker implements it: a person completes it
  "approve-account": {
    input: DefineContinuationInput<{ userId: number; pages: string[] }>;
    output: DefineContinuationOutput<"send-welcome">;
  };
  // scheduled: due a little later
  "send-welcome": {
    input: DefineContinuationInput<{ userId: number; approvedBy: string }>;
    output: { sentTo: string };
  };
  // fan-out: one sequence for each page
  "render-page": {
    input: { userId: number; page: string };
    output: { path: string };
  };
}>();
