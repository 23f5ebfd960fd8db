// What follows for others when the last job of a sequence completes: its deduplication key is free again, and its
// dependants are released. Most stores of jobs use neither, so each is asked for once per call, not once per job.
import type { UnblockedJob } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createFreeDeduplicationKey } from "./free-deduplication-key.ts";
import { createReleaseDependants } from "./release-dependants.ts";

/** Answers, for one step, what to call with each job that has just ended its sequence. */
export const createEndSequence = (
  names: TableNames,
): ((session: Session) => (jobId: string) => readonly UnblockedJob[]) => {
  const selectSequence = `SELECT coalesce(sequence_id, id) FROM ${names.job} WHERE id = ?`;
  const dependants = createReleaseDependants(names);
  const deduplication = createFreeDeduplicationKey(names);

  return (session) => {
    const someDepend = dependants.needed(session);
    const someKeyIsOpen = deduplication.needed(session);
    if (!someDepend && !someKeyIsOpen) return () => [];
    return (jobId) => {
      const sequenceId = session.get<[string]>(selectSequence, jobId)?.[0];
      if (sequenceId === undefined) return [];
      if (someKeyIsOpen) deduplication.free(session, sequenceId);
      return someDepend ? dependants.release(session, sequenceId) : [];
    };
  };
};
