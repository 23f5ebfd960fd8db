// Step 2 of the walk, continued: a new job gets its blockers. There is one writer, so no blocker completes between the
// read of its status and the insert of the edge.
import {
  type AddBlockersParams,
  blockerCancelledError,
  blockerFailedError,
  JobNotFoundError,
  type JobStatus,
  type StateAdapter,
  type StateJob,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { blockerCountOf, type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import { toInstant } from "../instants.ts";
import type { Session } from "../session.ts";
import { createFailDependants } from "../steps/end-sequence.ts";
import { createCountIncompleteBlockers, createSequenceStatus } from "../steps/read-sequences.ts";

type Added = { readonly job: StateJob; readonly missing: readonly string[] };
type WaitingJob = AddBlockersParams<object>["jobs"][number];

export const addBlockers = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["addBlockers"] => {
  const { job, blocker } = database.names;
  const select = `SELECT ${jobColumns()} FROM ${job} WHERE id = ?`;
  const insertEdge = `INSERT INTO ${blocker} (job_id, place, blocker_sequence_id) VALUES (?, ?, ?)`;
  const wait = `
UPDATE ${job} SET blocker_count = blocker_count + ?, incomplete_blocker_count = ?, status = ?
WHERE id = ? AND status = 'blocked'`;
  const limitWait = `UPDATE ${job} SET blocked_until = ? WHERE id = ? AND status = 'blocked'`;
  const fail = `UPDATE ${job} SET status = 'failed', finished_at = ?, last_attempt_error = ? WHERE id = ?`;
  const statusOf = createSequenceStatus(database.names);
  const countIncomplete = createCountIncompleteBlockers(database.names);
  const failDependants = createFailDependants(database.names);

  const read = (session: Session, jobId: string): JobRow => {
    const row = session.get<JobRow>(select, jobId);
    if (row === undefined) throw new JobNotFoundError(jobId);
    return row;
  };

  const addTo = (session: Session, waiting: WaitingJob): Added => {
    const { jobId, blockerSequenceIds: ids, waitAtMostMs } = waiting;
    const row = read(session, jobId);
    const job = toStateJob(row);
    const statuses = ids.map((id) => statusOf(session, id));
    const missing = [...new Set(ids.filter((_, index) => statuses[index] === undefined))];
    if (missing.length > 0 || job.status !== "blocked") return { job, missing };
    const placeFrom = blockerCountOf(row);
    ids.forEach((id, index) => session.run(insertEdge, jobId, placeFrom + index, id));
    const incomplete = countIncomplete(session, jobId, job.onBlockerFailure);
    session.run(wait, ids.length, incomplete, incomplete === 0 ? "pending" : "blocked", jobId);
    if (waitAtMostMs !== undefined) {
      session.run(limitWait, toInstant(job.createdAt.getTime() + waitAtMostMs), jobId);
    }
    const error = blockerError(ids, statuses, job);
    if (error !== undefined) {
      const now = session.now();
      session.run(fail, now, error, jobId);
      // The job may be a continuation, whose sequence has dependants.
      failDependants(session, job.sequenceId, now);
    }
    return { job: toStateJob(read(session, jobId)), missing };
  };

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.writeWithin("addBlockers", context, (session) =>
          jobs.map((waiting) => addTo(session, waiting)),
        );
};

/** A cancelled blocker never completes. A failed one may be retried, so the job decides. */
const blockerError = (
  ids: readonly string[],
  statuses: readonly (JobStatus | undefined)[],
  { onBlockerFailure }: StateJob,
): string | undefined => {
  if (onBlockerFailure === "continue") return undefined;
  const cancelled = ids.find((_, index) => statuses[index] === "cancelled");
  if (cancelled !== undefined) return blockerCancelledError(cancelled);
  const failed = ids.find((_, index) => statuses[index] === "failed");
  return failed !== undefined && onBlockerFailure === "fail"
    ? blockerFailedError(failed)
    : undefined;
};
