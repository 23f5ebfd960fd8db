import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";
import { deletedRoots, endsOf } from "./sequence-end.ts";
import { pathOf } from "./stored-plan.ts";

/** Every committed start reached one outcome; none that was rolled back exists. */
export const checkStarts: Check = (history) => {
  const violations: Violation[] = [];
  const ends = endsOf(history);
  const deleted = deletedRoots(history);
  const paths = new Set(history.jobs.map(pathOf));
  for (const { path } of entriesOf(history, "rolledBack")) {
    if (paths.has(path))
      violations.push({ rule: "a start that was rolled back leaves nothing", detail: path });
  }
  for (const { path, sequenceId } of entriesOf(history, "started")) {
    if (!ends.has(sequenceId) && !deleted.has(sequenceId))
      violations.push({ rule: "a committed start exists", detail: path });
  }
  // Of those too whose starter never heard of its commit.
  for (const { last, isCompleted, isFailed, isCancelled } of ends.values()) {
    if (isCompleted || isFailed || isCancelled) continue;
    violations.push({
      rule: "a committed start reaches an outcome",
      detail: `${pathOf(last)}: ${last.typeName} ${last.id} is ${last.status}`,
    });
  }
  return violations;
};

/** A plan is one job: nothing that may happen once happened twice. */
export const checkOnce: Check = ({ jobs }) =>
  [...groupBy(jobs, pathOf)].flatMap(([path, own]) =>
    own.length === 1 ? [] : [{ rule: "a job is created once", detail: `${path}: ${own.length}` }],
  );

/** A sequence is one chain: no position twice, none missing, each job continued to the next. */
export const checkChains: Check = ({ jobs }) => {
  const violations: Violation[] = [];
  for (const [sequenceId, sequence] of groupBy(jobs, (job) => job.sequenceId)) {
    const chain = sequence.toSorted((one, other) => one.position - other.position);
    chain.forEach((job, index) => {
      const next = chain[index + 1];
      if (job.position !== index || job.continuedToId !== (next?.id ?? null)) {
        violations.push({
          rule: "a sequence is one chain",
          detail: `${sequenceId}, position ${job.position} at place ${index}`,
        });
      }
      if (next !== undefined && job.status !== "completed") {
        violations.push({ rule: "only a completed job is continued", detail: job.id });
      }
    });
  }
  return violations;
};

/** A tree is deleted whole or not at all, and stays so. */
export const checkDeletions: Check = (history) => {
  const violations: Violation[] = [];
  const byRoot = groupBy(history.jobs, ({ rootSequenceId }) => rootSequenceId);
  for (const { rootSequenceId } of entriesOf(history, "deleted")) {
    const left = byRoot.get(rootSequenceId) ?? [];
    if (left.length > 0)
      violations.push({
        rule: "nothing is left of a tree that was deleted",
        detail: `${rootSequenceId}: ${left.map(pathOf).join(", ")}`,
      });
  }
  for (const [root, jobs] of byRoot) {
    if (jobs.some(({ id }) => id === root)) continue;
    violations.push({ rule: "a tree is deleted whole", detail: `${root}: ${jobs.length} left` });
  }
  return violations;
};
