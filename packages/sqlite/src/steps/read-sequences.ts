import type { JobStatus, OnBlockerFailure, StateSequence } from "queuert/internal";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import { lastJobOf, type TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** Reads a sequence by its id: its first job, and the job at its highest position. */
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

/** Reads the blockers of a job, in the order in which they were given. */
export const createReadBlockers = (
  names: TableNames,
): ((session: Session, jobId: string) => readonly StateSequence[]) => {
  const select = `SELECT blocker_sequence_id FROM ${names.blocker} WHERE job_id = ? ORDER BY place`;
  const readSequence = createReadSequence(names);

  return (session, jobId) =>
    session
      .all<[string]>(select, jobId)
      .map(([sequenceId]) => readSequence(session, sequenceId))
      // A blocker of an unfinished job cannot be deleted. The filter is for the types.
      .filter((sequence) => sequence !== undefined);
};

/** Reads the status of the last job of a sequence. Its payloads may be large, and are not read. */
export const createSequenceStatus = (
  names: TableNames,
): ((session: Session, id: string) => JobStatus | undefined) => {
  const first = `SELECT status FROM ${names.job} WHERE id = ? AND position = 0`;
  const last = `SELECT status ${lastJobOf(names)}`;

  return (session, id) => {
    const row = session.get<[JobStatus]>(first, id);
    if (row === undefined) return undefined;
    const [status] = session.get<[JobStatus]>(last, id) ?? row;
    return status;
  };
};

/** Counts the different blockers of a job that it still waits for. */
export const createCountIncompleteBlockers = (
  names: TableNames,
): ((session: Session, jobId: string, onBlockerFailure: OnBlockerFailure) => number) => {
  const select = `SELECT DISTINCT blocker_sequence_id FROM ${names.blocker} WHERE job_id = ?`;
  const statusOf = createSequenceStatus(names);
  const ended: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

  return (session, jobId, onBlockerFailure) =>
    session.all<[string]>(select, jobId).filter(([id]) => {
      const status = statusOf(session, id);
      return onBlockerFailure === "continue" ? !ended.has(status) : status !== "completed";
    }).length;
};
