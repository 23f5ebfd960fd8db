// A sequence is its first job and the job at the highest position, read together: between two statements
// a continuation could be stored. A replica set and a sharded cluster read them in different ways; each
// has a reader.
import type { StateAdapter, StateSequence } from "queuert/internal";
import { type JobDocument, sequenceIdOf, toStateJob } from "./job-document.ts";
import type { FindOptions, JobCollection, Scope } from "./store.ts";

export interface SequenceDocuments {
  readonly first: JobDocument;
  readonly current: JobDocument;
}

type ReadOptions = Pick<FindOptions, "candidates">;

export type ListSequencesParams = Parameters<
  StateAdapter<object, object, string>["listSequences"]
>[0];

export interface SequenceReader {
  /** The sequences that exist, by id. */
  find(
    scope: Scope,
    ids: Iterable<string>,
    options?: ReadOptions,
  ): Promise<Map<string, SequenceDocuments>>;
  /** One page of sequences. `toFilter` gives the condition on first jobs behind an ordinal. */
  list(
    scope: Scope,
    params: ListSequencesParams,
    toFilter: (params: ListSequencesParams) => object,
  ): Promise<SequenceDocuments[]>;
}

export const createReplicaSetReader = (jobs: JobCollection): SequenceReader => ({
  find: async (scope, ids, options) => {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return new Map();
    const first = { $match: { _id: { $in: wanted }, position: 0 } };
    const stages = [first, withLastJob(jobs.name), ...firstThenLast];
    return toSequences(await jobs.aggregate<JobDocument>(scope, stages, options));
  },
  // Streamed in order: the server reads sequences until the page is full, and no further.
  list: async (scope, params, toFilter) => {
    const { statuses, limit } = params;
    const currentStatus = { $ifNull: [{ $first: "$last.status" }, "$status"] };
    const found = await jobs.aggregate<JobDocument>(scope, [
      { $match: toFilter(params) },
      { $sort: toSort(params) },
      withLastJob(jobs.name),
      ...(statuses === null ? [] : [{ $match: { $expr: { $in: [currentStatus, statuses] } } }]),
      { $limit: limit },
      ...firstThenLast,
    ]);
    return [...toSequences(found).values()];
  },
});

/**
 * On a sharded cluster `$lookup` in a transaction makes shards query each other, and the router loses
 * count of it. MongoDB 8.2 refused later statements of a transaction that had written. A transaction
 * therefore reads in two statements, of one snapshot.
 */
export const createShardedReader = (jobs: JobCollection): SequenceReader => {
  const together = createReplicaSetReader(jobs);
  return {
    find: async (scope, ids, options) => {
      const wanted = [...new Set(ids)];
      if (wanted.length === 0) return new Map();
      const first = { _id: { $in: wanted }, position: 0 };
      if (scope.session !== undefined) {
        return addLastJobs(jobs, scope, await jobs.find(scope, first));
      }
      // Candidates must be current, and a transaction that is being committed must be seen whole. A read
      // at a snapshot gives the second. The snapshot may be past, but never before the router's cluster
      // time: a query to the shards advances that first.
      if (options?.candidates) {
        await jobs.find(scope, first, { projection: { _id: 1 }, candidates: true });
      }
      return together.find(scope, wanted);
    },
    list: (scope, params, toFilter) =>
      scope.session === undefined
        ? together.list(scope, params, toFilter)
        : listInSteps(jobs, scope, params, toFilter),
  };
};

/** To first jobs: adds the one at the highest position above 0, if any, as `last`. One index probe each. */
const withLastJob = (jobs: string): object => ({
  $lookup: {
    from: jobs,
    localField: "_id",
    foreignField: "sequenceId",
    pipeline: [{ $match: { position: { $gt: 0 } } }, { $sort: { position: -1 } }, { $limit: 1 }],
    as: "last",
  },
});

/**
 * After it: the two as documents of their own, the first job first. As one document they could exceed the
 * 16 MB of a reply where neither of them does.
 */
const firstThenLast: readonly object[] = [
  {
    $project: {
      both: {
        $concatArrays: [[{ $unsetField: { field: "last", input: "$$ROOT" } }], "$last"],
      },
    },
  },
  { $unwind: "$both" },
  { $replaceRoot: { newRoot: "$both" } },
];

/** From the documents of the stages above, in the order of the first jobs. */
const toSequences = (jobs: readonly JobDocument[]): Map<string, SequenceDocuments> => {
  const last = new Map(jobs.map((job) => [sequenceIdOf(job), job]));
  return new Map(
    jobs
      .filter(({ position }) => position === 0)
      .map((first) => [first._id, { first, current: last.get(first._id) ?? first }]),
  );
};

export const toStateSequence = ({ first, current }: SequenceDocuments): StateSequence => ({
  first: toStateJob(first),
  current: toStateJob(current),
});

const addLastJobs = async (
  jobs: JobCollection,
  scope: Scope,
  firsts: readonly JobDocument[],
): Promise<Map<string, SequenceDocuments>> => {
  if (firsts.length === 0) return new Map();
  const ids = firsts.map(({ _id }) => _id);
  // The last job; and the one before it, while a sequence is being continued.
  const later = await jobs.find(scope, {
    ...{ sequenceId: { $in: ids }, position: { $gt: 0 }, continuedToId: { $exists: false } },
  });
  later.sort((a, b) => a.position - b.position);
  const last = new Map(later.map((job) => [job.sequenceId, job]));
  return new Map(
    firsts.map((first) => [first._id, { first, current: last.get(first._id) ?? first }]),
  );
};

// Reads as many sequences as the page may hold, and the next ones until the page is full.
const listInSteps = async (
  jobs: JobCollection,
  scope: Scope,
  params: ListSequencesParams,
  toFilter: (params: ListSequencesParams) => object,
): Promise<SequenceDocuments[]> => {
  const { statuses, limit } = params;
  const page: SequenceDocuments[] = [];
  let { afterOrdinal } = params;
  for (;;) {
    const filter = toFilter({ ...params, afterOrdinal });
    const firsts = await jobs.find(scope, filter, { sort: toSort(params), limit });
    const sequences = await addLastJobs(jobs, scope, firsts);
    for (const sequence of sequences.values()) {
      if (statuses === null || statuses.includes(sequence.current.status)) page.push(sequence);
    }
    const last = firsts.at(-1);
    if (page.length >= limit || last === undefined || firsts.length < limit) break;
    afterOrdinal = last.ordinal;
  }
  return page.slice(0, limit);
};

const toSort = ({ order }: ListSequencesParams): { readonly ordinal: 1 | -1 } => ({
  ordinal: order === "asc" ? 1 : -1,
});
