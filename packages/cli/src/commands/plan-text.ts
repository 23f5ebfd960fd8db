import type { ApplyResult, BackfillPlan, Plan } from "queuert/operator";
import { formatCount } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";

/** A plan of jobs, or of a backfill. */
export type AnyPlan = Plan | BackfillPlan;

const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

const units = {
  retry: "job",
  trigger: "job",
  cancel: "sequence",
  delete: "tree",
  backfill: "tick",
} as const;

const unitOf = ({ action }: AnyPlan): string => units[action];

export const planLines = (plan: AnyPlan): string[] => {
  const { action, count, isAtLeast, refused, sample, consequences, filter } = plan;
  const more = isAtLeast ? ", and there are more: plan again after this" : "";
  const [first] = sample;
  return [
    `would ${action} ${countOf(count, unitOf(plan))}${more}`,
    ...(filter === null ? [] : [`  ${safeLine(filter)}${scopeOf(plan)}`]),
    ...(first === undefined
      ? []
      : [`  such as ${safeLine(first.typeName)} ${safeLine(first.jobId)}`]),
    ...refused.map(
      (group) =>
        `  ${formatCount(group.count)} refused: ${group.reason}, such as ${safeLine(group.sample[0] ?? "")}`,
    ),
    ...consequences.map((text) => `  ${safeLine(text)}`),
  ];
};

/** The instants of a backfill are named; jobs that are created from now on are left out. */
const scopeOf = (plan: AnyPlan): string => {
  if (plan.action !== "backfill") return ", created before now";
  const [first] = plan.instants.first;
  const { last } = plan.instants;
  return first === undefined || last === null
    ? ""
    : `, from ${first.toISOString()} to ${last.toISOString()}`;
};

const done = {
  retry: "retried",
  trigger: "triggered",
  cancel: "cancelled",
  delete: "deleted",
  backfill: "started",
} as const;

export const resultLines = (plan: AnyPlan, result: ApplyResult): string[] => {
  const { refusedJobs, isStopped } = result;
  const refused = plan.refused.flatMap(({ reason, sample }) =>
    sample.map((id) => ({ id, reason })),
  );
  return [
    `${done[plan.action]} ${countOf(result.done, unitOf(plan))}` +
      (isStopped ? `, then stopped: ${formatCount(result.total - result.done)} are left` : ""),
    ...[...refused, ...refusedJobs].map(({ id, reason }) => `  refused ${safeLine(id)}: ${reason}`),
  ];
};
