// The effects of the end of a sequence on other jobs: its deduplication key is free, and its dependants are released or
// fail. There is one writer, so two blockers never complete at the same instant: the second sees the first.
import {
  blockerFailedError,
  type FailJobsResult,
  type StateJobReference,
  type UnblockedJob,
} from "queuert/internal";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createFreeDeduplicationKey } from "./deduplicate.ts";
import { createCountIncompleteBlockers } from "./read-sequences.ts";

/**
 * Begins the ends of one step: returns a function that takes each job that has completed its sequence. Most stores have
 * neither blockers nor keys, so both are checked once per step, not once per job.
 */
export const createEndSequence = (
  names: TableNames,
): ((session: Session) => (jobId: string) => readonly UnblockedJob[]) => {
  const selectSequence = selectSequenceOf(names);
  const isAnyConcerned = createIsAnyConcerned(names);
  const release = createReleaseDependants(names);
  const deduplication = createFreeDeduplicationKey(names);

  return (session) => {
    const { someDepend, someKeyIsOpen } = isAnyConcerned(session);
    if (!someDepend && !someKeyIsOpen) return () => [];
    return (jobId) => {
      const [sequenceId] = session.get<[string]>(selectSequence, jobId) ?? [];
      if (sequenceId === undefined) return [];
      if (someKeyIsOpen) deduplication.free(session, sequenceId);
      return someDepend ? release(session, sequenceId) : [];
    };
  };
};

/** Whether the end of a sequence may concern another job. */
const createIsAnyConcerned = (names: TableNames) => {
  const anyDependant = `SELECT 1 FROM ${names.blocker} LIMIT 1`;
  const deduplication = createFreeDeduplicationKey(names);
  return (session: Session): { readonly someDepend: boolean; readonly someKeyIsOpen: boolean } => ({
    someDepend: session.get(anyDependant) !== undefined,
    someKeyIsOpen: deduplication.isNeeded(session),
  });
};

/** Counts down the blockers of the dependants. A dependant with no other incomplete blocker becomes pending. */
const createReleaseDependants = (
  names: TableNames,
): ((session: Session, sequenceId: string) => readonly UnblockedJob[]) => {
  const { job, blocker } = names;
  // A sequence that was given twice in one list counts once.
  const dependants = `
SELECT DISTINCT waiting.status = 'blocked' AND waiting.incomplete_blocker_count = 1, ${referenceColumns("waiting")}
FROM ${blocker} edge CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE edge.blocker_sequence_id = ? AND waiting.on_blocker_failure <> 'continue'
ORDER BY waiting.ordinal`;
  const countDown = `
UPDATE ${job} SET incomplete_blocker_count = incomplete_blocker_count - 1
WHERE id = ? AND incomplete_blocker_count > 0`;
  const unblock = `
UPDATE ${job} SET incomplete_blocker_count = 0, status = 'pending', released_at = ?
WHERE id = ? AND status = 'blocked' AND incomplete_blocker_count = 1`;
  const releaseContinuing = createReleaseContinuing(names);

  return (session, sequenceId) => {
    const unblocked: UnblockedJob[] = [];
    const now = session.now();
    const rows = session.all<[isReleased: number, ...JobReferenceRow]>(dependants, sequenceId);
    for (const [isReleased, ...row] of rows) {
      const reference = toStateJobReference(row);
      if (isReleased === 1) {
        session.run(unblock, now, reference.id);
        unblocked.push({ ...reference, unblockedBySequenceId: sequenceId });
      } else session.run(countDown, reference.id);
    }
    for (const one of releaseContinuing(session, sequenceId)) unblocked.push(one);
    return unblocked;
  };
};

/** Takes a sequence that has ended in any way. Releases the jobs with `onBlockerFailure: "continue"` that waited for it last. */
export const createReleaseContinuing = (
  names: TableNames,
): ((session: Session, sequenceId: string) => readonly UnblockedJob[]) => {
  const dependants = continuingDependants(names);
  const release = `
UPDATE ${names.job} SET status = 'pending', incomplete_blocker_count = 0, released_at = ? WHERE id = ?`;
  const count = createCountIncompleteBlockers(names);

  return (session, sequenceId) => {
    const unblocked: UnblockedJob[] = [];
    for (const row of session.all<JobReferenceRow>(dependants, sequenceId)) {
      const reference = toStateJobReference(row);
      // Counted anew: a failed blocker counts again once it is retried.
      if (count(session, reference.id, "continue") > 0) continue;
      session.run(release, session.now(), reference.id);
      unblocked.push({ ...reference, unblockedBySequenceId: sequenceId });
    }
    return unblocked;
  };
};

const continuingDependants = ({ job, blocker }: TableNames): string => `
SELECT DISTINCT ${referenceColumns("waiting")}
FROM ${blocker} edge CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE edge.blocker_sequence_id = ? AND waiting.status = 'blocked' AND waiting.on_blocker_failure = 'continue'
ORDER BY waiting.ordinal`;

const selectSequenceOf = ({ job }: TableNames): string =>
  `SELECT coalesce(sequence_id, id) FROM ${job} WHERE id = ?`;

type EndedByFailure = Pick<FailJobsResult, "dependants" | "unblocked">;

/** Begins the ends of one step: returns a function that takes each job that has just failed. As for completions, both are checked once. */
export const createEndFailed = (
  names: TableNames,
): ((session: Session) => (jobId: string, now: number) => EndedByFailure) => {
  const selectSequence = selectSequenceOf(names);
  const isAnyConcerned = createIsAnyConcerned(names);
  const failDependants = createFailDependants(names);
  return (session) => {
    const { someDepend, someKeyIsOpen } = isAnyConcerned(session);
    return (jobId, now) => {
      const [sequenceId] =
        someDepend || someKeyIsOpen ? (session.get<[string]>(selectSequence, jobId) ?? []) : [];
      return sequenceId === undefined
        ? { dependants: [], unblocked: [] }
        : failDependants(session, sequenceId, now);
    };
  };
};

type FailedDependant = StateJobReference & { readonly error: string };

/**
 * Takes a sequence that has just failed. Fails its blocked dependants with `onBlockerFailure: "fail"`, then theirs, and
 * returns them, nearest first, and the jobs that go on.
 */
export const createFailDependants = (
  names: TableNames,
): ((session: Session, sequenceId: string, now: number) => EndedByFailure) => {
  const { job, blocker } = names;
  const dependants = `
SELECT DISTINCT ${referenceColumns("waiting")}
FROM ${blocker} edge CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE edge.blocker_sequence_id = ? AND waiting.status = 'blocked' AND waiting.on_blocker_failure = 'fail'
ORDER BY waiting.ordinal`;
  const fail = `
UPDATE ${job} SET status = 'failed', finished_at = ?, last_attempt_error = ?
WHERE id = ? AND status = 'blocked'`;
  const deduplication = createFreeDeduplicationKey(names);
  const releaseContinuing = createReleaseContinuing(names);

  return (session, failedSequenceId, now) => {
    const failed: FailedDependant[] = [];
    const unblocked: UnblockedJob[] = [];
    // A queue, not a recursion: chains may be long.
    const sequenceIds = [failedSequenceId];
    for (const sequenceId of sequenceIds) {
      deduplication.free(session, sequenceId);
      const error = blockerFailedError(sequenceId);
      for (const row of session.all<JobReferenceRow>(dependants, sequenceId)) {
        const reference = toStateJobReference(row);
        session.run(fail, now, error, reference.id);
        failed.push({ ...reference, error });
        sequenceIds.push(reference.sequenceId);
      }
      for (const one of releaseContinuing(session, sequenceId)) unblocked.push(one);
    }
    return { dependants: failed, unblocked };
  };
};
