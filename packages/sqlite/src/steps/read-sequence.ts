import type { StateSequence } from "queuert/internal";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** Reads a sequence by its id: its first job, and the one at its highest position. */
export const createReadSequence = ({
  job,
}: TableNames): ((session: Session, id: string) => StateSequence | undefined) => {
  const first = `SELECT ${jobColumns()} FROM ${job} WHERE id = ? AND position = 0`;
  const last = `
SELECT ${jobColumns()} FROM ${job} WHERE sequence_id = ? AND position > 0
ORDER BY position DESC LIMIT 1`;

  return (session, id) => {
    const firstRow = session.get<JobRow>(first, id);
    if (firstRow === undefined) return undefined;
    const firstJob = toStateJob(firstRow);
    const lastRow = session.get<JobRow>(last, id);
    return { first: firstJob, current: lastRow === undefined ? firstJob : toStateJob(lastRow) };
  };
};
