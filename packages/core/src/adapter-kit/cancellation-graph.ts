// The sequences of a cancellation: their last jobs, the sequences that they have started, and the jobs that wait for them.
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import type { StateJob, StateJobReference } from "../model/state-job.ts";

/** A job, as far as the plan needs it. */
export type CancellationJob = StateJobReference &
  Pick<StateJob, "status" | "position" | "leaseVersion">;

/** A blocked job that waits for a sequence. */
export interface WaitingEdge extends BlockerEdge {
  /** With `onBlockerFailure: "continue"` the job goes on after any end of the sequence. */
  readonly goesOn: boolean;
}

/** The jobs that a store has read. */
export interface CancellationView {
  /** Every job of the root trees that were read. */
  readonly jobs: readonly CancellationJob[];
  /** The blocked jobs of any tree that wait for a sequence of these trees: their edges, in the order of creation. */
  readonly waiting: readonly WaitingEdge[];
}

export interface Graph {
  /** The last job of each sequence that was read. */
  readonly current: ReadonlyMap<string, CancellationJob>;
  /** The sequences that the jobs of a sequence have started. */
  readonly started: ReadonlyMap<string, readonly string[]>;
  /** The edges of the blocked jobs that wait for a sequence. */
  readonly waiting: ReadonlyMap<string, readonly WaitingEdge[]>;
}

export const toGraph = ({ jobs, waiting }: CancellationView): Graph => {
  const current = new Map<string, CancellationJob>();
  const sequenceOf = new Map(jobs.map(({ id, sequenceId }) => [id, sequenceId]));
  const started = new Map<string, string[]>();
  for (const job of jobs) {
    const last = current.get(job.sequenceId);
    if (last === undefined || last.position < job.position) current.set(job.sequenceId, job);
    if (job.position > 0 || job.originId === null) continue;
    const parent = sequenceOf.get(job.originId);
    if (parent !== undefined) addTo(started, parent, job.sequenceId);
  }
  const edges = new Map<string, WaitingEdge[]>();
  for (const edge of waiting) addTo(edges, edge.blockerSequenceId, edge);
  return { current, started, waiting: edges };
};

const addTo = <TValue>(lists: Map<string, TValue[]>, key: string, value: TValue): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};
