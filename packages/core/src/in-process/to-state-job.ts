// Out of the store: every record is a fresh one, dates included, so that nobody holds a piece of the store itself.
import type { StateJob, StateJobReference, StateSequence } from "../model/state-job.ts";
import { currentOf, type JobCell, type JobState, stateOf, type View } from "./job-cell.ts";

export const toStateJob = (cell: JobCell, state: JobState): StateJob => {
  const { first } = cell;
  // Dates are large: those of one record that say the same are one, which hurts nobody but its holder.
  const createdAt = new Date(cell.createdAt);
  return {
    id: cell.id,
    typeName: cell.typeName,
    sequenceId: first.id,
    sequenceTypeName: first.typeName,
    sequenceCreatedAt: first === cell ? createdAt : new Date(first.createdAt),
    rootSequenceId: cell.rootSequenceId,
    originId: cell.originId,
    position: cell.position,
    ordinal: cell.ordinal,
    status: state.status,
    input: cell.input,
    output: state.output,
    continuedToId: state.continuedToId,
    priority: cell.priority,
    onBlockerFailure: cell.onBlockerFailure,
    deduplicationKey: cell.deduplicationKey,
    createdAt,
    scheduledAt: state.scheduledAt === cell.createdAt ? createdAt : new Date(state.scheduledAt),
    attempt: state.attempt,
    lastAttemptAt: toDate(state.lastAttemptAt),
    lastAttemptError: state.lastAttemptError,
    leaseVersion: state.leaseVersion,
    leasedBy: state.leasedBy,
    leasedUntil: toDate(state.leasedUntil),
    finishedAt: toDate(state.finishedAt),
    completedBy: state.completedBy,
    traceContext: cell.traceContext,
  };
};

/** The job as the view shows it; undefined if it does not. */
export const viewJob = (cell: JobCell | undefined, view: View): StateJob | undefined => {
  const state = cell === undefined ? undefined : stateOf(cell, view);
  return cell === undefined || state === undefined ? undefined : toStateJob(cell, state);
};

/** A job that the statement at hand has just read or written. */
export const requireJob = (cell: JobCell): StateJob => {
  if (cell.state === undefined) throw new Error(`Job ${cell.id} has left the store.`);
  return toStateJob(cell, cell.state);
};

/** The sequence that starts with this job, as the view shows it; undefined if it does not. */
export const viewSequence = (first: JobCell | undefined, view: View): StateSequence | undefined => {
  if (first === undefined || first.first !== first) return undefined;
  const current = currentOf(first, view);
  const firstJob = viewJob(first, view);
  const currentJob = current === first ? firstJob : viewJob(current, view);
  return firstJob === undefined || currentJob === undefined
    ? undefined
    : { first: firstJob, current: currentJob };
};

/** The sequences a job waits or waited for, in the order they were given. */
export const viewBlockers = (cell: JobCell | undefined, view: View): readonly StateSequence[] => {
  const state = cell === undefined ? undefined : stateOf(cell, view);
  if (state === undefined) return [];
  return state.blockers
    .map(({ sequence }) => viewSequence(sequence, view))
    .filter((sequence) => sequence !== undefined);
};

export const toReference = (cell: JobCell): StateJobReference => ({
  id: cell.id,
  typeName: cell.typeName,
  sequenceId: cell.first.id,
  sequenceTypeName: cell.first.typeName,
  rootSequenceId: cell.rootSequenceId,
  originId: cell.originId,
});

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
