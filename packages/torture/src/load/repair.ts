// After the faults: repairs and retries failed jobs, and triggers jobs that are scheduled far ahead, until all have ended. Also
// ends pauses, and sends the missing signals.
import { JobSequencesStillBlockingError, type StateJob } from "queuert";
import { farAheadMs } from "./plan.ts";
import type { LoadSurroundings } from "./run-plan.ts";

interface FailedOnce {
  readonly jobId: string;
  readonly sequenceId: string;
  readonly failedAt: number;
}

type Means = Pick<LoadSurroundings, "queuert" | "note" | "now">;

let calls = 0;

/** Cancels a sequence with its tree, and records the result. Others may wait for it: then it is left. */
export const cancelSequence = async (
  { queuert, note, now }: Means,
  sequenceId: string,
  dependants: "refuse" | "fail" | "cancel",
): Promise<void> => {
  const call = `${sequenceId}-${process.pid}-${calls++}`;
  note({ kind: "cancelling", at: now(), call, sequenceId });
  let isDone = false;
  try {
    const { refused } = await queuert.cancelJobSequences({ ids: [sequenceId], dependants });
    isDone = refused.length === 0;
  } catch (error) {
    if (!(error instanceof JobSequencesStillBlockingError)) throw error;
  }
  note({ kind: "cancelled", at: now(), call, sequenceId, isDone });
};

/** Retries failed jobs, and records the results. Answers the sequences that were refused because of a blocker. */
export const retryFailed = async (
  { queuert, note, now }: Means,
  failed: readonly FailedOnce[],
): Promise<readonly string[]> => {
  if (failed.length === 0) return [];
  for (const one of failed) note({ kind: "retrying", at: now(), ...one });
  const results = await queuert.retryFailedJobs({ ids: failed.map(({ jobId }) => jobId) });
  for (const [index, one] of failed.entries()) {
    if (results[index]?.retried === true) note({ kind: "retried", at: now(), ...one });
  }
  // A key that is taken becomes free, and then one of them can follow.
  const isTaken = results.some((one) => !one.retried && one.reason === "deduplication_key_taken");
  return failed.flatMap(({ sequenceId }, index) => {
    const result = results[index];
    if (isTaken || result === undefined || result.retried) return [];
    return result.reason.startsWith("blocker_") ? [sequenceId] : [];
  });
};

/** Ends pauses, and sends the signals that jobs still wait for. */
const release = async (
  { queuert, note, now }: Means,
  control: readonly StateJob[],
): Promise<void> => {
  const pauses = await queuert.getPauses();
  for (const { jobType } of pauses) {
    const scope = jobType === null ? ({ everything: true } as const) : { jobTypes: [jobType] };
    const call = `resume-${process.pid}-${calls++}`;
    const value = { pause: { isPaused: false, forMs: null } };
    note({ kind: "setting", at: now(), call, typeName: jobType ?? "*", value });
    await queuert.resume(scope);
    note({ kind: "set", at: now(), call });
  }
  const missing = control.filter(
    ({ typeName, status }) => typeName === "approval" && status === "blocked",
  );
  for (const { deduplicationKey } of missing) {
    const payload = `repaired ${deduplicationKey}`;
    const signals = [{ typeName: "approval", key: deduplicationKey ?? "", payload }] as const;
    const [sent] = await queuert.sendSignals({ autocommit: true, signals });
    if (sent === undefined) throw new Error(`Nothing was answered for ${deduplicationKey}`);
    const { id: sequenceId, sent: isFirst } = sent;
    note({ kind: "sent", at: now(), sequenceId, payload, isFirst });
  }
};

/** Jobs that wait for a lost sequence would wait without end: an operator cancels it, with them. */
const giveUp = async (
  means: Means,
  jobs: readonly StateJob[],
  lost: ReadonlySet<string>,
): Promise<void> => {
  const statuses = new Set(jobs.map(({ status }) => status));
  if (!statuses.has("blocked") || statuses.has("pending") || statuses.has("running")) return;
  for (const sequenceId of lost) await cancelSequence(means, sequenceId, "cancel");
};

/** One round. Answers whether everything has ended. */
export const repair = async (
  means: Means,
  jobs: readonly StateJob[],
  control: readonly StateJob[],
): Promise<boolean> => {
  const { queuert, note, now } = means;
  await release(means, control);
  const failed = jobs
    .filter(({ status }) => status === "failed")
    .map(({ id: jobId, sequenceId, finishedAt }) => ({
      ...{ jobId, sequenceId, failedAt: finishedAt?.getTime() ?? 0 },
    }));
  // All at once, in the order of creation. A job that failed because of its blocker follows its
  // blocker, or is refused until the blocker is retried.
  // One of its blockers was cancelled, or waits for one that was: it can never run.
  const lost = new Set(await retryFailed(means, failed));
  const far = [...jobs, ...control].filter(
    ({ status, scheduledAt }) =>
      status === "pending" && scheduledAt.getTime() > now() + farAheadMs / 2,
  );
  for (const { id } of far) note({ kind: "triggering", at: now(), jobId: id });
  if (far.length > 0) await queuert.triggerJobs({ ids: far.map(({ id }) => id) });
  await giveUp(means, [...jobs, ...control], lost);
  return [...jobs, ...control].every(
    ({ status, sequenceId }) =>
      status === "completed" ||
      status === "cancelled" ||
      (status === "failed" && lost.has(sequenceId)),
  );
};
