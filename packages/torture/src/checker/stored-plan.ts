import type { StateJob } from "queuert";
import type { Plan } from "../load/plan.ts";

/** The plan in a job's stored input. */
export const planOf = ({ input }: Pick<StateJob, "input">): Plan =>
  (JSON.parse(input) as { readonly plan: Plan }).plan;

export const pathOf = (job: Pick<StateJob, "input">): string => planOf(job).path;
