// Reads out of the store. Every record is a new one, dates included: no caller has a reference into the store.
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import type { StateJob, StateJobReference, StateSequence } from "../model/state-job.ts";
import { currentOf, type StoredJob, stateOf, toStateJob, type View } from "./stored-job.ts";

/** The job as the view shows it; undefined if it does not. */
export const viewJob = (stored: StoredJob | undefined, view: View): StateJob | undefined => {
  const state = stored === undefined ? undefined : stateOf(stored, view);
  return stored === undefined || state === undefined ? undefined : toStateJob(stored, state);
};

/** A job that the current statement has read or written. */
export const requireJob = (stored: StoredJob): StateJob => {
  if (stored.state === undefined) throw new Error(`Job ${stored.id} has left the store.`);
  return toStateJob(stored, stored.state);
};

/** The sequence that starts with this job, as the view shows it; undefined if it does not. */
export const viewSequence = (
  first: StoredJob | undefined,
  view: View,
): StateSequence | undefined => {
  if (first === undefined || first.first !== first) return undefined;
  const current = currentOf(first, view);
  const firstJob = viewJob(first, view);
  const currentJob = current === first ? firstJob : viewJob(current, view);
  return firstJob === undefined || currentJob === undefined
    ? undefined
    : { first: firstJob, current: currentJob };
};

/** The blockers of a job, in the order in which they were given. */
export const viewBlockers = (
  stored: StoredJob | undefined,
  view: View,
): readonly StateSequence[] => {
  const state = stored === undefined ? undefined : stateOf(stored, view);
  if (state === undefined) return [];
  return state.blockers
    .map(({ sequence }) => viewSequence(sequence, view))
    .filter((sequence) => sequence !== undefined);
};

export const toReference = (stored: StoredJob): StateJobReference => ({
  id: stored.id,
  typeName: stored.typeName,
  sequenceId: stored.first.id,
  sequenceTypeName: stored.first.typeName,
  rootSequenceId: stored.rootSequenceId,
  originId: stored.originId,
});

/** The edges from a job to its blockers, in their order. */
export const edgesOf = (stored: StoredJob, view: View): readonly BlockerEdge[] =>
  (stateOf(stored, view)?.blockers ?? [])
    .filter(({ sequence }) => stateOf(sequence, view) !== undefined)
    .map(({ index, sequence }) => ({
      jobId: stored.id,
      sequenceId: stored.first.id,
      blockerSequenceId: sequence.id,
      index,
    }));

/** `createdFrom` is inclusive, `createdTo` exclusive. */
export const isCreatedWithin = (
  { createdAt }: StoredJob,
  {
    createdFrom,
    createdTo,
  }: { readonly createdFrom: Date | null; readonly createdTo: Date | null },
): boolean =>
  (createdFrom === null || createdAt >= createdFrom.getTime()) &&
  (createdTo === null || createdAt < createdTo.getTime());
