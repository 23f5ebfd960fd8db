import type { StateSequence } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createReadSequence } from "./read-sequence.ts";

/** Reads the sequences a job waits or waited for, in the order they were given. */
export const createReadBlockers = (
  names: TableNames,
): ((session: Session, jobId: string) => readonly StateSequence[]) => {
  const select = `SELECT blocker_sequence_id FROM ${names.blocker} WHERE job_id = ? ORDER BY place`;
  const readSequence = createReadSequence(names);

  return (session, jobId) =>
    session
      .all<[string]>(select, jobId)
      .map(([sequenceId]) => readSequence(session, sequenceId))
      // A sequence that is waited for cannot be deleted; the filter is for the types.
      .filter((sequence) => sequence !== undefined);
};
