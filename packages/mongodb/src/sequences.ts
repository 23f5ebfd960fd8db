// A sequence is its first job and the one at the highest position, read together: two statements could see a
// continuation come in between.
import type { StateSequence } from "queuert/internal";
import type { Database } from "./database.ts";
import { type JobDocument, sequenceIdOf, toStateJob } from "./job-document.ts";
import type { FindOptions, Scope } from "./store.ts";

export interface SequenceDocuments {
  readonly first: JobDocument;
  readonly current: JobDocument;
}

/** To first jobs: adds the one at the highest position above 0, if any, as `last`. One index probe for each. */
export const withLastJob = (jobs: string): object => ({
  $lookup: {
    from: jobs,
    localField: "_id",
    foreignField: "sequenceId",
    pipeline: [{ $match: { position: { $gt: 0 } } }, { $sort: { position: -1 } }, { $limit: 1 }],
    as: "last",
  },
});

/**
 * Behind it: the two as documents of their own, the first job first. As one they may be more than the 16 MB that the server can answer,
 * where each of them is not.
 */
export const firstThenLast: readonly object[] = [
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

/** Of what the stages above answer, in the order of the first jobs. */
export const toSequences = (jobs: readonly JobDocument[]): Map<string, SequenceDocuments> => {
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

/** The sequences that exist, by id. */
export const findSequences = async (
  db: Database,
  scope: Scope,
  ids: Iterable<string>,
  options?: Pick<FindOptions, "candidates">,
): Promise<Map<string, SequenceDocuments>> => {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  if (db.isSharded) return findOnShards(db, scope, wanted, options);
  return findTogether(db, scope, wanted, options);
};

const findTogether = async (
  { jobs }: Database,
  scope: Scope,
  ids: readonly string[],
  options?: Pick<FindOptions, "candidates">,
): Promise<Map<string, SequenceDocuments>> => {
  const found = await jobs.aggregate<JobDocument>(
    scope,
    [{ $match: { _id: { $in: ids }, position: 0 } }, withLastJob(jobs.name), ...firstThenLast],
    options,
  );
  return toSequences(found);
};

const findOnShards = async (
  db: Database,
  scope: Scope,
  ids: readonly string[],
  options?: Pick<FindOptions, "candidates">,
): Promise<Map<string, SequenceDocuments>> => {
  const first = { _id: { $in: ids }, position: 0 };
  if (scope.session !== undefined) return addLastJobs(db, scope, await db.jobs.find(scope, first));
  // As it is now, and of what is being committed the whole: a read at an instant gives the second, and may take an
  // instant that is past. It is none before what the router has heard of, so it is made to ask the shards first.
  if (options?.candidates) {
    await db.jobs.find(scope, first, { projection: { _id: 1 }, candidates: true });
  }
  return findTogether(db, scope, ids);
};

/**
 * To first jobs read in a transaction on a sharded cluster. There a `$lookup` makes shards ask each other, of which the router
 * loses count: later statements of a transaction that has written were refused by MongoDB 8.2. One snapshot serves two
 * statements as well.
 */
export const addLastJobs = async (
  { jobs }: Database,
  scope: Scope,
  firsts: readonly JobDocument[],
): Promise<Map<string, SequenceDocuments>> => {
  if (firsts.length === 0) return new Map();
  const ids = firsts.map(({ _id }) => _id);
  // The last one, and while a sequence is being continued the one before it.
  const later = await jobs.find(scope, {
    ...{ sequenceId: { $in: ids }, position: { $gt: 0 }, continuedToId: { $exists: false } },
  });
  later.sort((a, b) => a.position - b.position);
  const last = new Map(later.map((job) => [job.sequenceId, job]));
  return new Map(
    firsts.map((first) => [first._id, { first, current: last.get(first._id) ?? first }]),
  );
};
