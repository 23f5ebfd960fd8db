import { defineUnionJobTypes, type JobTypes } from "../../job-types/define-job-types.ts";
import type { JsonValue } from "../../job-types/json.ts";
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
  DefineSignal,
} from "../../job-types/markers.ts";

/** The job types that the behaviour suites are written with. */
export type BehaviourDefinitions = {
  task: { input: JsonValue; output: JsonValue };
  other: { input: JsonValue; output: JsonValue };
  /** Ends, or goes on as `next` or `gated`. */
  first: { input: JsonValue; output: JsonValue | DefineContinuationOutput<"next" | "gated"> };
  next: {
    input: DefineContinuationInput<JsonValue>;
    output: JsonValue | DefineContinuationOutput<"next" | "gated">;
  };
  /** A continuation that waits. */
  gated: {
    input: DefineContinuationInput<JsonValue>;
    output: JsonValue;
    blockers: DefineBlocker<"task" | "other" | "first">[];
  };
  waiting: {
    input: JsonValue;
    output: JsonValue;
    blockers: DefineBlocker<"task" | "other" | "first" | "waiting" | "approval">[];
  };
  /** Waits for a signal, or until its wait ends. */
  patient: {
    input: JsonValue;
    output: JsonValue;
    blockers: [DefineBlocker<"approval", "optional">];
  };
  /** Sent, and never run. */
  approval: DefineSignal<JsonValue>;
  /** Also gets blockers that have failed or were cancelled. */
  after: {
    input: JsonValue;
    output: JsonValue;
    blockers: DefineBlocker<"task" | "other" | "first", "ended">[];
  };
};

export type BehaviourTypeName = keyof BehaviourDefinitions;

/** Those that a sequence can start with. */
export type EntryTypeName = Exclude<BehaviourTypeName, "next" | "gated" | "approval">;

/** Without a catalogue: names are checked by the compiler alone. */
export const behaviourJobTypes: JobTypes<BehaviourDefinitions> =
  defineUnionJobTypes<BehaviourDefinitions>();

/** With one: they are checked again when called. */
export const cataloguedJobTypes: JobTypes<BehaviourDefinitions> =
  defineUnionJobTypes<BehaviourDefinitions>({
    task: { entry: true },
    other: { entry: true },
    first: { entry: true, continuesTo: { next: true, gated: true } },
    next: { entry: false, continuesTo: { next: true, gated: true } },
    gated: { entry: false, blockers: true },
    waiting: { entry: true, blockers: true },
    patient: { entry: true, blockers: ["approval"] },
    approval: { signal: true },
    after: { entry: true, blockers: true },
  });
