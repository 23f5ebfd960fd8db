import type { StateJob } from "queuert";
import { errandTypeNames } from "../load/errand-types.ts";
import type { Plan } from "../load/plan.ts";
import { errandOf } from "./errand-history.ts";

/** The plan in a job's stored input. */
export const planOf = ({ input }: Pick<StateJob, "input">): Plan =>
  (JSON.parse(input) as { readonly plan: Plan }).plan;

export const pathOf = (job: Pick<StateJob, "input">): string => planOf(job).path;

/** The name of a job within its run: the path of a plan, or the name of an errand. */
export const nameOf = (job: Pick<StateJob, "input" | "typeName">): string =>
  errandTypeNames.includes(job.typeName) ? errandOf(job).name : pathOf(job);
