// Sequences with a deduplication key, by type and key. A start under "all" finds the newest that was not cancelled. A start under
// "completed" finds the newest unfinished one, without a walk over finished ones.
import type { StateDeduplication } from "../model/deduplication.ts";
import { currentOf, isUnfinished, type StoredJob, wasCancelled } from "./stored-job.ts";
import { OrdinalList } from "./ordinal-list.ts";
import type { TypeQueue } from "./type-queue.ts";

/** The sequences of one type with one key, each by its first job. */
export interface KeyedSequences {
  readonly all: OrdinalList;
  readonly unfinished: Set<StoredJob>;
}

export const addKeyed = (first: StoredJob, key: string): void => {
  const { keyedSequences } = first.queue;
  let keyed = keyedSequences.get(key);
  if (keyed === undefined) {
    keyed = { all: new OrdinalList(), unfinished: new Set() };
    keyedSequences.set(key, keyed);
  }
  keyed.all.append(first);
};

/** After a job of the sequence has changed. */
export const refreshKeyed = (first: StoredJob, key: string): void => {
  const keyed = first.queue.keyedSequences.get(key);
  if (isUnfinished(currentOf(first, "transaction")?.state)) keyed?.unfinished.add(first);
  else keyed?.unfinished.delete(first);
};

/** After the first job has been marked as dropped. */
export const dropKeyed = (first: StoredJob, key: string): void => {
  const keyed = first.queue.keyedSequences.get(key);
  keyed?.unfinished.delete(first);
  keyed?.all.noteDropped();
  if (keyed?.all.size === 0) first.queue.keyedSequences.delete(key);
};

/** The first job of the sequence that matches a key. */
export const findKeyed = (
  queue: TypeQueue,
  { key, strategy, windowMs, excludeSequenceIds }: StateDeduplication,
  now: number,
): StoredJob | undefined => {
  const keyed = queue.keyedSequences.get(key);
  if (keyed === undefined) return undefined;
  const mayMatch = ({ id }: StoredJob): boolean => excludeSequenceIds?.includes(id) !== true;
  const unfinished = (): readonly StoredJob[] =>
    strategy === "pending" ? waitingOf(keyed) : [...keyed.unfinished];
  const newest =
    strategy === "all"
      ? keyed.all.findLast(
          (first) => first.state !== undefined && !wasCancelled(first) && mayMatch(first),
        )
      : newestOf(unfinished().filter(mayMatch));
  // Every other one is older still.
  const isInWindow = windowMs === null || (newest?.createdAt ?? 0) >= now - windowMs;
  return isInWindow ? newest : undefined;
};

const waitingOf = ({ unfinished }: KeyedSequences): readonly StoredJob[] =>
  [...unfinished].filter(
    ({ state }) =>
      (state?.status === "pending" || state?.status === "blocked") && state.attempt === 0,
  );

/** Another unfinished sequence than this one that holds the key. */
export const findOtherUnfinished = (first: StoredJob, key: string): StoredJob | undefined => {
  const unfinished = first.queue.keyedSequences.get(key)?.unfinished ?? [];
  return newestOf([...unfinished].filter((other) => other !== first));
};

const newestOf = (firsts: Iterable<StoredJob>): StoredJob | undefined => {
  let newest: StoredJob | undefined;
  for (const first of firsts) {
    if (newest === undefined || first.ordinal > newest.ordinal) newest = first;
  }
  return newest;
};
