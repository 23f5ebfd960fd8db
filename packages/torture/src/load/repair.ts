// After the faults: repairs and retries failed jobs and triggers jobs that are scheduled far ahead,
// until all have ended.
import type { StateJob } from "queuert";
import { farAheadMs } from "./plan.ts";
import type { LoadSurroundings } from "./run-plan.ts";

interface FailedOnce {
  readonly jobId: string;
  readonly sequenceId: string;
  readonly failedAt: number;
}

/** Retries failed jobs, and records the results. */
export const retryFailed = async (
  { queuert, note, now }: Pick<LoadSurroundings, "queuert" | "note" | "now">,
  failed: readonly FailedOnce[],
): Promise<void> => {
  if (failed.length === 0) return;
  for (const one of failed) note({ kind: "retrying", at: now(), ...one });
  const results = await queuert.retryFailedJobs({ ids: failed.map(({ jobId }) => jobId) });
  for (const [index, one] of failed.entries()) {
    if (results[index]?.retried === true) note({ kind: "retried", at: now(), ...one });
  }
};

/** One round. Answers whether everything has ended. */
export const repair = async (
  { queuert, note, now }: Pick<LoadSurroundings, "queuert" | "note" | "now">,
  jobs: readonly StateJob[],
): Promise<boolean> => {
  const failed = jobs
    .filter(({ status }) => status === "failed")
    .map(({ id: jobId, sequenceId, finishedAt }) => ({
      ...{ jobId, sequenceId, failedAt: finishedAt?.getTime() ?? 0 },
    }));
  // All at once, in the order of creation. A job that failed because of its blocker follows its
  // blocker, or is refused until the blocker is retried.
  await retryFailed({ queuert, note, now }, failed);
  const far = jobs.filter(
    ({ status, scheduledAt }) =>
      status === "pending" && scheduledAt.getTime() > now() + farAheadMs / 2,
  );
  for (const { id } of far) note({ kind: "triggering", at: now(), jobId: id });
  if (far.length > 0) await queuert.triggerJobs({ ids: far.map(({ id }) => id) });
  return jobs.every(({ status }) => status === "completed");
};
