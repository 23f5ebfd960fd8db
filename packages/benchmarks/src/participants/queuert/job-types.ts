import {
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
  type JobTypeDefinitionsOf,
} from "queuert";
import type { Payload } from "../participant.ts";

export const jobTypes = defineUnionJobTypes<{
  single: { input: Payload; output: null };
  keyed: { input: Payload; output: null };
  "step-1": { input: Payload; output: DefineContinuationOutput<"step-2"> };
  "step-2": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-3"> };
  "step-3": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-4"> };
  "step-4": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-5"> };
  "step-5": { input: DefineContinuationInput<Payload>; output: null };
  part: { input: Payload; output: { size: number } };
  whole: { input: Payload; output: { size: number }; blockers: DefineBlocker<"part">[] };
}>();

export type Definitions = JobTypeDefinitionsOf<typeof jobTypes>;
