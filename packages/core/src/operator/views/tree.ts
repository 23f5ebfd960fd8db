// All that a picture of one tree needs: its sequences, their jobs, the waits between them, and the attempts.
import type { StoredAttempt } from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { BlockerEdge } from "../../adapters/state-adapter-queries.ts";
import type { StateJob, StateSequence } from "../../model/state-job.ts";
import type { Evidence } from "../explain/evidence.ts";
import { UnknownJobError } from "../operator-errors.ts";
import type { Viewer } from "../search/search.ts";
import { type JobView, toJobView } from "./job-view.ts";
import { type SequenceView, toSequenceView } from "./sequence-view.ts";

/** The tree of a root sequence. */
export interface JobTree {
  /** The store's clock. */
  readonly at: Date;
  readonly rootSequenceId: string;
  /** The root first, then by creation. Those of other trees, which wait or are waited for, are last. */
  readonly sequences: readonly TreeSequence[];
  /** The jobs of this tree, by creation. */
  readonly jobs: readonly JobView[];
  /** A job waits, or waited, for a sequence. */
  readonly edges: readonly BlockerEdge[];
  /** The attempts that did not complete a job, by the id of the job. Null: the store does not keep them. */
  readonly attempts: Readonly<Record<string, readonly StoredAttempt[]>> | null;
  /** The tree has more jobs than this. Null: it is whole. */
  readonly cutAt: number | null;
}

/** One sequence of a tree, with its jobs and its waits. */
export interface TreeSequence extends SequenceView {
  readonly currentJobId: string;
  /** The sequence belongs to another tree. */
  readonly isOutside: boolean;
}

/** Sequences of other trees that are shown. */
const outsideMax = 100;

export const loadTree = async (
  state: AnyStateAdapter,
  sequenceId: string,
  limit: number,
  evidence: Evidence,
  viewer: Viewer,
): Promise<JobTree> => {
  const [named] = await state.getSequences({ ids: [sequenceId] });
  if (named === undefined) throw new UnknownJobError(sequenceId);
  const { rootSequenceId } = named.first;
  const found = await listTree(state, rootSequenceId, limit + 1);
  const jobs = found.slice(0, limit);
  const own = new Set(jobs.map((job) => job.sequenceId));
  const edges = await state.listBlockerEdges({ ids: [...own] });
  const outside = new Set(
    edges.flatMap((edge) => [edge.sequenceId, edge.blockerSequenceId]).filter((id) => !own.has(id)),
  );
  const ids = [...own, ...[...outside].slice(0, outsideMax)];
  const sequences = await state.getSequences({ ids });
  return {
    at: evidence.now,
    rootSequenceId,
    sequences: sequences.flatMap((each) =>
      each === undefined ? [] : [toTreeSequence(each, !own.has(each.first.id))],
    ),
    jobs: jobs.map((job) => toJobView(job, evidence, viewer)),
    edges,
    attempts: await attemptsOf(state, jobs),
    cutAt: found.length > limit ? limit : null,
  };
};

const listTree = (
  state: AnyStateAdapter,
  rootSequenceId: string,
  limit: number,
): Promise<readonly StateJob[]> =>
  state.listJobs({
    typeNames: null,
    statuses: null,
    sequenceId: null,
    rootSequenceId,
    createdFrom: null,
    createdTo: null,
    order: "asc",
    afterOrdinal: null,
    limit,
  });

const toTreeSequence = (sequence: StateSequence, isOutside: boolean): TreeSequence => ({
  ...toSequenceView(sequence),
  currentJobId: sequence.current.id,
  isOutside,
});

/** A job that was acquired at most once, and did not fail, has no attempt to show. */
const attemptsOf = async (
  { operator }: AnyStateAdapter,
  jobs: readonly StateJob[],
): Promise<JobTree["attempts"]> => {
  if (operator?.listAttempts === undefined) return null;
  const jobIds = jobs
    .filter(
      ({ leaseVersion, status }) =>
        leaseVersion > 1 || (leaseVersion > 0 && status !== "completed"),
    )
    .map(({ id }) => id);
  if (jobIds.length === 0) return {};
  const attempts = await operator.listAttempts({ jobIds });
  return Object.fromEntries(
    jobIds.flatMap((id, index) => {
      const ofJob = attempts[index] ?? [];
      return ofJob.length === 0 ? [] : [[id, ofJob] as const];
    }),
  );
};
