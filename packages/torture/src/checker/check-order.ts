import type { StateJob } from "queuert";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";

interface Candidate {
  readonly job: StateJob;
  /** From when on every worker could see that it was due. */
  readonly visibleAt: number;
  readonly claimedAt: number;
}

const comesFirst = (one: StateJob, other: StateJob): boolean => {
  if (one.priority !== other.priority) return one.priority > other.priority;
  const [due, otherDue] = [one.scheduledAt.getTime(), other.scheduledAt.getTime()];
  return due === otherDue ? one.ordinal < other.ordinal : due < otherDue;
};

/** Of two jobs of a type that were both due, the one with the higher rank is claimed first, unless claims overlapped. */
export const checkOrder: Check = (history) => {
  const concurrentMs = history.claimMs;
  const triggered = new Set(entriesOf(history, "triggering").map(({ jobId }) => jobId));
  const waits = new Set(history.edges.map(({ jobId }) => jobId));
  const startedAt = new Map(
    entriesOf(history, "started").map(({ sequenceId, at }) => [sequenceId, at]),
  );
  // Only those claimed once: of the others it is not stored when they were claimed first.
  const candidates = history.jobs.flatMap((job): Candidate[] => {
    const noted = startedAt.get(job.id);
    if (noted === undefined || job.leaseVersion !== 1 || job.lastAttemptAt === null) return [];
    if (waits.has(job.id) || triggered.has(job.id)) return [];
    // Waiting for another run, it has another due time than it was claimed by.
    if (job.finishedAt === null) return [];
    const visibleAt = Math.max(noted, job.scheduledAt.getTime()) + concurrentMs;
    return [{ job, visibleAt, claimedAt: job.lastAttemptAt.getTime() }];
  });
  const violations: Violation[] = [];
  for (const group of groupBy(candidates, ({ job }) => job.typeName).values()) {
    const late = group.filter(({ visibleAt, claimedAt }) => claimedAt > visibleAt + concurrentMs);
    for (const waiting of late) {
      const overtaker = group.find(
        ({ job, claimedAt }) =>
          claimedAt > waiting.visibleAt &&
          claimedAt < waiting.claimedAt - concurrentMs &&
          comesFirst(waiting.job, job),
      );
      if (overtaker === undefined) continue;
      violations.push({
        rule: "jobs of a type are claimed in order",
        detail: `${overtaker.job.id} before ${waiting.job.id}`,
      });
    }
  }
  return violations;
};
