import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";
import { pathOf, planOf } from "./stored-plan.ts";

/** A job fails only with its attempts used up, without hope, or with a blocker. */
export const checkFailures: Check = ({ jobs, edges, maxAttempts }) => {
  const waits = new Set(edges.map(({ jobId }) => jobId));
  return jobs.flatMap((job) => {
    if (job.status !== "failed") return [];
    if (planOf(job).isHopeless || job.attempt >= maxAttempts) return [];
    // Failed with a blocker, before it ever began.
    if (waits.has(job.id) && job.attempt === 0) return [];
    return [
      {
        rule: "a job fails only when its attempts are used up",
        detail: `${pathOf(job)} failed at attempt ${job.attempt}: ${job.lastAttemptError}`,
      },
    ];
  });
};

/**
 * Every acquisition adds one to the lease version and one to the attempt. The attempt is taken back
 * for a job that was returned before it began, for a reschedule, and for a retried failure.
 */
export const checkAttempts: Check = (history) => {
  const violations: Violation[] = [];
  const retried = new Set(entriesOf(history, "retrying").map(({ jobId }) => jobId));
  const rescheduled = new Set(
    entriesOf(history, "ended").flatMap(({ jobId, leaseVersion, how }) =>
      how === "rescheduled" ? [`${jobId}/${leaseVersion}`] : [],
    ),
  );
  const byJob = groupBy(entriesOf(history, "began"), ({ jobId }) => jobId);
  const rule = "every attempt is counted once";
  for (const job of history.jobs) {
    const begun = (byJob.get(job.id) ?? []).toSorted(
      (one, other) => one.leaseVersion - other.leaseVersion,
    );
    const path = pathOf(job);
    for (const [index, { attempt, leaseVersion }] of begun.entries()) {
      if (attempt > leaseVersion || attempt > history.maxAttempts) {
        violations.push({ rule, detail: `${path}: attempt ${attempt}, lease ${leaseVersion}` });
      }
      const next = begun[index + 1];
      if (next === undefined || retried.has(job.id)) continue;
      const [more, leases] = [next.attempt - attempt, next.leaseVersion - leaseVersion];
      const least = rescheduled.has(`${job.id}/${leaseVersion}`) ? 0 : 1;
      if (more >= least && more <= leases) continue;
      violations.push({
        rule,
        detail: `${path}: attempts ${attempt}, ${next.attempt} in ${leases} leases`,
      });
    }
    const last = begun.at(-1);
    const isOfLast = last?.leaseVersion === job.leaseVersion && job.status === "completed";
    if (isOfLast && job.completedBy !== null && last.attempt !== job.attempt) {
      violations.push({ rule, detail: `${path}: stored ${job.attempt}, ran as ${last.attempt}` });
    }
  }
  return violations;
};

/** No first attempt before its scheduled time, unless the job was triggered or retried. */
export const checkSchedules: Check = (history) => {
  const triggered = new Set(
    [...entriesOf(history, "triggering"), ...entriesOf(history, "retrying")].map(
      ({ jobId }) => jobId,
    ),
  );
  const known = new Map(history.jobs.map((job) => [job.id, job]));
  return entriesOf(history, "began").flatMap((entry) => {
    const job = known.get(entry.jobId);
    if (job === undefined || entry.leaseVersion !== 1 || triggered.has(job.id)) return [];
    const { at, afterMs } = planOf(job);
    const due = at ?? job.createdAt.getTime() + afterMs;
    if (entry.at >= due - history.toleranceMs) return [];
    const detail = `${entry.path}: ${due - entry.at} ms too early`;
    return [{ rule: "no attempt begins before its time", detail }];
  });
};
