// A failed job becomes due now, with its attempts counted from 0.
import { type RetryFailedResult, retryInRounds, type StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import type { Session } from "../session.ts";
import { createCountIncompleteBlockers } from "../steps/read-sequences.ts";

export const retryFailedJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["retryFailedJobs"] => {
  const { job, blocker } = database.names;
  const select = `SELECT ${jobColumns()} FROM ${job} WHERE id = ?`;
  const keyTakenBy = `
SELECT other.id FROM ${job} first JOIN ${job} other
  ON other.type_name = first.type_name AND other.deduplication_key = first.deduplication_key
WHERE first.id = ? AND other.deduplication_open = 1 AND other.id <> first.id
ORDER BY other.ordinal DESC LIMIT 1`;
  const takeKey = `
UPDATE ${job} SET deduplication_open = 1 WHERE id = ? AND deduplication_key IS NOT NULL`;
  const retry = `
UPDATE ${job} SET status = ?, incomplete_blocker_count = ?, attempt = 0, scheduled_at = ?, finished_at = NULL
WHERE id = ? AND status = 'failed'`;
  const countIncomplete = createCountIncompleteBlockers(database.names);

  const blockerIn = (status: string): string => `
SELECT edge.blocker_sequence_id FROM ${blocker} edge JOIN ${job} first ON first.id = edge.blocker_sequence_id
WHERE edge.job_id = ? AND (first.status = '${status}' OR EXISTS (
  SELECT 1 FROM ${job} later
  WHERE later.sequence_id = first.id AND later.position > 0 AND later.status = '${status}'
)) ORDER BY edge.place LIMIT 1`;
  const failedBlocker = blockerIn("failed");
  const cancelledBlocker = blockerIn("cancelled");

  const retryOne = (session: Session, id: string): RetryFailedResult => {
    const row = session.get<JobRow>(select, id);
    if (row === undefined) return { kind: "refused", reason: "not_found" };
    const { status, onBlockerFailure, sequenceId } = toStateJob(row);
    if (status !== "failed") return { kind: "refused", reason: "not_failed" };
    const failed =
      onBlockerFailure === "fail" ? session.get<[string]>(failedBlocker, id) : undefined;
    if (failed !== undefined) {
      return { kind: "refused", reason: "blocker_failed", bySequenceId: failed[0] };
    }
    const cancelled =
      onBlockerFailure === "continue" ? undefined : session.get<[string]>(cancelledBlocker, id);
    if (cancelled !== undefined) {
      return { kind: "refused", reason: "blocker_cancelled", bySequenceId: cancelled[0] };
    }
    const holder = session.get<[string]>(keyTakenBy, sequenceId);
    if (holder !== undefined) {
      return { kind: "refused", reason: "deduplication_key_taken", bySequenceId: holder[0] };
    }
    const incomplete = countIncomplete(session, id, onBlockerFailure);
    session.run(retry, incomplete === 0 ? "pending" : "blocked", incomplete, session.now(), id);
    session.run(takeKey, sequenceId);
    return { kind: "retried", job: toStateJob(session.get<JobRow>(select, id) ?? row) };
  };

  return async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write("retryFailedJobs", context, (session) =>
          retryInRounds(ids, (id) => retryOne(session, id)),
        );
};
