import {
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";

export const jobTypes = defineUnionJobTypes<{
  task: { input: { secret: string }; output: { secret: string } };
  first: { input: { secret: string }; output: DefineContinuationOutput<"second"> };
  second: { input: DefineContinuationInput<{ secret: string }>; output: { secret: string } };
  waiting: {
    input: { secret: string };
    output: { secret: string };
    blockers: [DefineBlocker<"task">, ...DefineBlocker<"task">[]];
  };
}>();
