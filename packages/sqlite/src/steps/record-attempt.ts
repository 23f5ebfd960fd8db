// The attempt of a running job that ends without completing it. It is written before the row of the job changes.
import { attemptError, lastAttemptsKept, type StoredAttempt } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

interface AttemptEnd {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly outcome: StoredAttempt["outcome"];
  /** Null: the next statement writes the error to the job, which shares it (migration 0010). */
  readonly error: string | null;
  /** Null: the due time stays. Left out: the job is never due again. */
  readonly nextAt?: number | null;
  /** If it is known: a search less. */
  readonly ordinal?: number | undefined;
}

export type RecordAttempt = (session: Session, end: AttemptEnd, now: number) => void;

/** Nothing is written for a lease that is not held. */
export const createRecordAttempt = ({ job, attempt }: TableNames): RecordAttempt => {
  const insert = (condition: string): string => `
INSERT INTO ${attempt} (
  job_id, lease_version, attempt, worker_id, due_at, started_at, ended_at, outcome, next_at, error, shares_error)
SELECT id, lease_version, attempt, leased_by, scheduled_at, last_attempt_at, ?, ?,
  CASE WHEN ? THEN coalesce(?, scheduled_at) END, ?, ?
FROM ${job} WHERE ${condition} AND status = 'running' AND lease_version = ?`;
  const byId = insert("id = ?");
  const byOrdinal = insert("id = ? AND ordinal = ?");
  // The first attempt stays. Lease versions grow by one, so the range holds at most the last ones.
  const forget = `
DELETE FROM ${attempt} WHERE job_id = ? AND lease_version <= ?
  AND lease_version > (SELECT min(lease_version) FROM ${attempt} WHERE job_id = ?)`;

  return (session, { jobId, leaseVersion, outcome, error, nextAt, ordinal }, now) => {
    const next = [nextAt === undefined ? 0 : 1, nextAt ?? null] as const;
    const text = [attemptError(error ?? ""), error === null ? 1 : 0] as const;
    const values = [now, outcome, ...next, ...text, jobId] as const;
    if (ordinal === undefined) session.run(byId, ...values, leaseVersion);
    else session.run(byOrdinal, ...values, ordinal, leaseVersion);
    const oldest = leaseVersion - lastAttemptsKept;
    if (oldest > 1) session.run(forget, jobId, oldest, jobId);
  };
};
