import type { ApplyResult, Plan } from "queuert/operator";
import { formatCount } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";

const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

const units = { retry: "job", trigger: "job", cancel: "sequence", delete: "tree" } as const;

const unitOf = ({ action }: Plan): string => units[action];

export const planLines = (plan: Plan): string[] => {
  const { action, count, isAtLeast, refused, sample, consequences, filter } = plan;
  const more = isAtLeast ? ", and there are more: plan again after this" : "";
  const [first] = sample;
  return [
    `would ${action} ${countOf(count, unitOf(plan))}${more}`,
    ...(filter === null ? [] : [`  ${safeLine(filter)}, created before now`]),
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

const done = {
  retry: "retried",
  trigger: "triggered",
  cancel: "cancelled",
  delete: "deleted",
} as const;

export const resultLines = (plan: Plan, result: ApplyResult): string[] => {
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
