import type { StateSequence } from "queuert/internal";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import { lastJobOf, type TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** Reads a sequence by its id: its first job, and the one at its highest position. */
export const createReadSequence = (
  names: TableNames,
): ((session: Session, id: string) => StateSequence | undefined) => {
  const first = `SELECT ${jobColumns()} FROM ${names.job} WHERE id = ? AND position = 0`;
  const last = `SELECT ${jobColumns()} ${lastJobOf(names)}`;

  return (session, id) => {
    const firstRow = session.get<JobRow>(first, id);
    if (firstRow === undefined) return undefined;
    const firstJob = toStateJob(firstRow);
    const lastRow = session.get<JobRow>(last, id);
    return { first: firstJob, current: lastRow === undefined ? firstJob : toStateJob(lastRow) };
  };
};
