import type { JobStatus, LeaseLostReason } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

interface LostLease {
  readonly reason: LeaseLostReason;
  /** The lease under which the job was completed; null if it is not completed, or was completed without a worker. */
  readonly completedLease: number | null;
}

/** The reason why a write that names a lease changed nothing. */
export const createLeaseLostReason = ({
  job,
}: TableNames): ((session: Session, jobId: string) => LostLease) => {
  const select = `SELECT status, completed_lease FROM ${job} WHERE id = ?`;

  return (session, jobId) => {
    const row = session.get<[JobStatus, number | null]>(select, jobId);
    if (row === undefined) return { reason: "not_found", completedLease: null };
    const [status, completedLease] = row;
    if (status === "cancelled") return { reason: "cancelled", completedLease };
    const isFinished = status === "completed" || status === "failed";
    // A job that was handed back or reclaimed belongs to its next worker.
    return { reason: isFinished ? "already_completed" : "taken_by_another_worker", completedLease };
  };
};
