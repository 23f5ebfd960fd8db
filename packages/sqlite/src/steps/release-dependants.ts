// A sequence has ended: whoever waited for it waits for one less, and is due when it was the last. There is one writer, so
// two blockers that end "at the same instant" do so one after the other, and the second sees the first.
import type { UnblockedJob } from "queuert/internal";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

export interface ReleaseDependants {
  /** Whether anybody has ever waited for anything: one probe that spares the others. */
  readonly needed: (session: Session) => boolean;
  readonly release: (session: Session, sequenceId: string) => readonly UnblockedJob[];
}

export const createReleaseDependants = ({ job, blocker }: TableNames): ReleaseDependants => {
  const any = `SELECT 1 FROM ${blocker} LIMIT 1`;
  // A sequence given twice in one list counts once.
  const dependants = `
SELECT DISTINCT ${referenceColumns("waiting")}, waiting.incomplete_blocker_count, waiting.status
FROM ${blocker} edge CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE edge.blocker_sequence_id = ?
ORDER BY waiting.ordinal`;
  const countDown = `
UPDATE ${job} SET incomplete_blocker_count = incomplete_blocker_count - 1
WHERE id = ? AND incomplete_blocker_count > 0`;
  const unblock = `
UPDATE ${job} SET incomplete_blocker_count = 0, status = 'pending'
WHERE id = ? AND status = 'blocked' AND incomplete_blocker_count = 1`;

  return {
    needed: (session) => session.get(any) !== undefined,
    release: (session, sequenceId) => {
      const unblocked: UnblockedJob[] = [];
      const rows = session.all<[...JobReferenceRow, number, string]>(dependants, sequenceId);
      for (const row of rows) {
        if (row[6] === 1 && row[7] === "blocked") {
          session.run(unblock, row[0]);
          unblocked.push({ ...toStateJobReference(row), unblockedBySequenceId: sequenceId });
        } else {
          session.run(countDown, row[0]);
        }
      }
      return unblocked;
    },
  };
};
