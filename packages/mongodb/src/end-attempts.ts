// Attempts of one call that end without completing their job: one update for all of them. A statement for each costs the server more
// than twice as much.
import { attemptError } from "queuert/internal";
import { withAttempt } from "./attempts.ts";
import { valueById } from "./job-document.ts";

interface Ended {
  readonly jobId: string;
  readonly error: string | null;
}

/** The most that one update carries for all its jobs. */
const sharedErrorLengthMax = 4_000_000;

/** In order: lists that one update can write. Each has a job once. */
export const together = <TJob extends Ended>(
  jobs: readonly TJob[],
): readonly (readonly TJob[])[] => {
  const lists: TJob[][] = [];
  let ids = new Set<string>();
  let length = Infinity;
  for (const job of jobs) {
    const own = job.error?.length ?? 0;
    if (ids.has(job.jobId) || length + own > sharedErrorLengthMax) {
      lists.push([]);
      ids = new Set();
      length = 0;
    }
    lists.at(-1)?.push(job);
    ids.add(job.jobId);
    length += own;
  }
  return lists;
};

/** The value of each job, as an expression. Most calls have one value: attempts fail alike. */
export const valueOf = <TJob extends Ended>(
  jobs: readonly TJob[],
  toValue: (job: TJob) => unknown,
): object => {
  const values = jobs.map(toValue);
  return values.every((value) => value === values[0])
    ? { $literal: values[0] }
    : valueById(
        jobs.map(({ jobId }) => jobId),
        values,
      );
};

/** The fields of jobs whose attempts have failed. */
export const failedAttempts = (
  jobs: readonly (Ended & { readonly error: string })[],
  outcome: "failed" | "retried",
  nextAt: unknown,
): object => ({
  lastAttemptError: valueOf(jobs, ({ error }) => error),
  attempts: withAttempt({
    outcome,
    error: valueOf(jobs, ({ error }) => attemptError(error)),
    nextAt,
  }),
});
