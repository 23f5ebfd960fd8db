import type { StateJob } from "queuert";
import { groupBy } from "./group-by.ts";
import { entriesOf, type History } from "./history.ts";

export interface SequenceEnd {
  readonly first: StateJob;
  readonly last: StateJob;
  readonly isCompleted: boolean;
  readonly isFailed: boolean;
  readonly isCancelled: boolean;
  /** Infinite while it has not ended. */
  readonly endedAt: number;
}

/** How each sequence ended, by its id. */
export const endsOf = ({ jobs }: Pick<History, "jobs">): ReadonlyMap<string, SequenceEnd> => {
  const ends = new Map<string, SequenceEnd>();
  for (const [id, sequence] of groupBy(jobs, ({ sequenceId }) => sequenceId)) {
    const chain = sequence.toSorted((one, other) => one.position - other.position);
    const [first, last] = [chain[0], chain.at(-1)];
    if (first === undefined || last === undefined) continue;
    const isCompleted = last.status === "completed" && last.continuedToId === null;
    const isFailed = last.status === "failed";
    const isCancelled = last.status === "cancelled";
    const hasEnded = isCompleted || isFailed || isCancelled;
    const endedAt = hasEnded ? (last.finishedAt?.getTime() ?? 0) : Number.POSITIVE_INFINITY;
    ends.set(id, { first, last, isCompleted, isFailed, isCancelled, endedAt });
  }
  return ends;
};

/** Trees that are gone, or may be: a call has asked for their deletion. */
export const deletedRoots = (history: History): ReadonlySet<string> =>
  new Set(entriesOf(history, "deleting").map(({ rootSequenceId }) => rootSequenceId));
