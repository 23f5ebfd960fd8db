import { groupBy } from "./group-by.ts";
import type { Check, Violation } from "./history.ts";
import { pathOf } from "./stored-plan.ts";

/**
 * Retention deletes whole trees that have been complete, or cancelled, for long enough and that no other job waits
 * for.
 */
export const checkRetention: Check = ({ jobs, edges, removed, retentionMs, toleranceMs }) => {
  const violations: Violation[] = [];
  const goneBy = new Map(removed.map(({ jobId, missedAt }) => [jobId, missedAt]));
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (const tree of groupBy(jobs, ({ rootSequenceId }) => rootSequenceId).values()) {
    const gone = tree.filter(({ id }) => goneBy.has(id));
    if (gone.length === 0) continue;
    if (gone.length < tree.length) {
      const detail = `${gone.map(pathOf).join(", ")} of ${tree.length}`;
      violations.push({ rule: "retention takes a tree whole", detail });
    }
    for (const job of gone) {
      const ageMs = (goneBy.get(job.id) ?? 0) - (job.finishedAt?.getTime() ?? 0);
      const isOver = job.status === "completed" || job.status === "cancelled";
      if (isOver && ageMs >= retentionMs - toleranceMs) continue;
      violations.push({
        rule: "retention deletes only trees that have been complete for long",
        detail: `${pathOf(job)}: ${job.status}, gone ${Math.round(ageMs)} ms after its end`,
      });
    }
  }
  for (const { jobId, blockerSequenceId } of edges) {
    const [waiting, blocker] = [byId.get(jobId), byId.get(blockerSequenceId)];
    const goneAt = goneBy.get(blockerSequenceId);
    if (waiting === undefined || goneAt === undefined) continue;
    if (waiting.rootSequenceId === blocker?.rootSequenceId) continue;
    if ((waiting.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= goneAt) continue;
    violations.push({
      rule: "retention deletes no sequence that a job waits for",
      detail: `${pathOf(waiting)} waits for ${blockerSequenceId}`,
    });
  }
  return violations;
};
