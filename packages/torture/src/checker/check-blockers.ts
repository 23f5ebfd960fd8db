import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";
import { deletedRoots, endsOf } from "./sequence-end.ts";
import { pathOf } from "./stored-plan.ts";

/** No attempt began before its blockers were complete. No job waits for a completed sequence. */
export const checkBlockers: Check = (history) => {
  const { jobs, edges, toleranceMs } = history;
  const ends = endsOf(history);
  const deleted = deletedRoots(history);
  const blockersOf = groupBy(edges, ({ jobId }) => jobId);
  const violations: Violation[] = [];
  for (const entry of entriesOf(history, "began")) {
    for (const { blockerSequenceId } of blockersOf.get(entry.jobId) ?? []) {
      const end = ends.get(blockerSequenceId);
      if (end === undefined && deleted.has(blockerSequenceId)) continue;
      if (end?.isCompleted !== true || end.endedAt > entry.at + toleranceMs) {
        violations.push({
          rule: "no attempt begins before its blockers are complete",
          detail: `${entry.path} at ${entry.at}, blocker ${blockerSequenceId}`,
        });
      }
    }
  }
  for (const job of jobs) {
    if (job.status !== "blocked") continue;
    const own = (blockersOf.get(job.id) ?? []).map((edge) => ends.get(edge.blockerSequenceId));
    if (own.every((end) => end?.isCompleted === true)) {
      violations.push({ rule: "no job waits for a completed sequence", detail: pathOf(job) });
    } else if (own.some((end) => end?.isCancelled === true)) {
      violations.push({ rule: "no job waits for a cancelled sequence", detail: pathOf(job) });
    } else if (own.some((end) => end?.isFailed === true) && job.onBlockerFailure === "fail") {
      violations.push({
        rule: "a job that must fail with its blocker has failed",
        detail: pathOf(job),
      });
    }
  }
  return violations;
};

/** A running job has a live lease, or its holder has vanished and another worker reclaims it. */
export const checkLeases: Check = ({ jobs, now }) =>
  jobs.flatMap((job) =>
    job.status === "running" && (job.leasedUntil?.getTime() ?? 0) <= now
      ? [{ rule: "nothing is running without a live lease", detail: pathOf(job) }]
      : [],
  );
