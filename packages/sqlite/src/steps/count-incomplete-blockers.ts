import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createSequenceStatus } from "./sequence-status.ts";

/** How many different sequences a job waits for that have not completed. */
export const createCountIncompleteBlockers = (
  names: TableNames,
): ((session: Session, jobId: string) => number) => {
  const select = `SELECT DISTINCT blocker_sequence_id FROM ${names.blocker} WHERE job_id = ?`;
  const statusOf = createSequenceStatus(names);

  return (session, jobId) =>
    session.all<[string]>(select, jobId).filter(([id]) => statusOf(session, id) !== "completed")
      .length;
};
