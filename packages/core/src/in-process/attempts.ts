// The attempt that ends, added to those that did not complete the job.
import { addAttempt, attemptError } from "../adapter-kit/stored-attempts.ts";
import type { StoredAttempt } from "../adapters/operator-store.ts";
import type { JobState } from "./stored-job.ts";

interface AttemptEnd {
  readonly outcome: StoredAttempt["outcome"];
  readonly error: string;
  /** Null: never. */
  readonly nextAt: number | null;
}

/** The attempts of a running job whose attempt ends now. */
export const withAttempt = (
  state: JobState,
  { outcome, error, nextAt }: AttemptEnd,
  now: number,
): readonly StoredAttempt[] =>
  addAttempt(state.attempts, {
    leaseVersion: state.leaseVersion,
    attempt: state.attempt,
    workerId: state.leasedBy ?? "",
    dueAt: new Date(state.scheduledAt),
    startedAt: new Date(state.lastAttemptAt ?? now),
    endedAt: new Date(now),
    outcome,
    nextAt: nextAt === null ? null : new Date(nextAt),
    error: attemptError(error),
  });
