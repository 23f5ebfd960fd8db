// Step 2 of the walk, continued: a new job learns which sequences it waits for.
// There is one writer, so no blocker completes between the look at its status and the edge that waits for it.
import {
  type AddBlockersParams,
  blockerFailedError,
  JobNotFoundError,
  type StateAdapter,
  type StateJob,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import type { Session } from "../session.ts";
import { createCountIncompleteBlockers } from "../steps/count-incomplete-blockers.ts";
import { createFailDependants } from "../steps/fail-dependants.ts";
import { createSequenceStatus } from "../steps/sequence-status.ts";

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
  const fail = `UPDATE ${job} SET status = 'failed', finished_at = ?, last_attempt_error = ? WHERE id = ?`;
  const statusOf = createSequenceStatus(database.names);
  const countIncomplete = createCountIncompleteBlockers(database.names);
  const failDependants = createFailDependants(database.names);

  const read = (session: Session, jobId: string): JobRow => {
    const row = session.get<JobRow>(select, jobId);
    if (row === undefined) throw new JobNotFoundError(jobId);
    return row;
  };

  const addTo = (session: Session, { jobId, blockerSequenceIds: ids }: WaitingJob): Added => {
    const row = read(session, jobId);
    const statuses = ids.map((id) => statusOf(session, id));
    const missing = [...new Set(ids.filter((_, index) => statuses[index] === undefined))];
    if (missing.length > 0 || row[9] !== "blocked") return { job: toStateJob(row), missing };
    const placeFrom = row[27];
    ids.forEach((id, index) => session.run(insertEdge, jobId, placeFrom + index, id));
    const incomplete = countIncomplete(session, jobId);
    session.run(wait, ids.length, incomplete, incomplete === 0 ? "pending" : "blocked", jobId);
    const failed = ids.find((_, index) => statuses[index] === "failed");
    if (failed !== undefined && row[14] === "fail") {
      const now = session.now();
      session.run(fail, now, blockerFailedError(failed), jobId);
      // A continuation that fails at once takes along whoever waits for its sequence.
      failDependants(session, row[2] ?? jobId, now);
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
