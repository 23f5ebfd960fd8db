// A sequence has failed: blocked jobs that are not to outlive it fail too, then those that wait for theirs.
import { blockerFailedError, type StateJobReference } from "queuert/internal";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createFreeDeduplicationKey } from "./free-deduplication-key.ts";

export type FailedDependant = StateJobReference & { readonly error: string };

/** Takes a sequence whose last job has just failed; answers the jobs that failed with it, nearest first. */
export const createFailDependants = (
  names: TableNames,
): ((session: Session, sequenceId: string, now: number) => readonly FailedDependant[]) => {
  const { job, blocker } = names;
  const dependants = `
SELECT DISTINCT ${referenceColumns("waiting")}
FROM ${blocker} edge CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE edge.blocker_sequence_id = ? AND waiting.status = 'blocked' AND waiting.on_blocker_failure = 'fail'
ORDER BY waiting.ordinal`;
  const fail = `
UPDATE ${job} SET status = 'failed', finished_at = ?, last_attempt_error = ?
WHERE id = ? AND status = 'blocked'`;
  const deduplication = createFreeDeduplicationKey(names);

  return (session, failedSequenceId, now) => {
    const failed: FailedDependant[] = [];
    // A queue, not a recursion: chains may be long.
    const sequenceIds = [failedSequenceId];
    for (const sequenceId of sequenceIds) {
      deduplication.free(session, sequenceId);
      const error = blockerFailedError(sequenceId);
      for (const row of session.all<JobReferenceRow>(dependants, sequenceId)) {
        session.run(fail, now, error, row[0]);
        const reference = toStateJobReference(row);
        failed.push({ ...reference, error });
        sequenceIds.push(reference.sequenceId);
      }
    }
    return failed;
  };
};
