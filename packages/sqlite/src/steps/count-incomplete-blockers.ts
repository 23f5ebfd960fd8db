import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** How many different sequences a job waits for that have not completed. */
export const createCountIncompleteBlockers = ({
  job,
  blocker,
}: TableNames): ((session: Session, jobId: string) => number) => {
  // A sequence is complete when one of its jobs has completed without continuing.
  const count = `
SELECT count(DISTINCT edge.blocker_sequence_id) FROM ${blocker} edge
JOIN ${job} first ON first.id = edge.blocker_sequence_id
WHERE edge.job_id = ?
  AND NOT (first.status = 'completed' AND first.continued_to_id IS NULL)
  AND NOT EXISTS (
    SELECT 1 FROM ${job} later
    WHERE later.sequence_id = first.id AND later.position > 0
      AND later.status = 'completed' AND later.continued_to_id IS NULL
  )`;
  return (session, jobId) => session.get<[number]>(count, jobId)?.[0] ?? 0;
};
