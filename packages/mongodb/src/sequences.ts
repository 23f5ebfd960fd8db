// A sequence is its first job and the one at the highest position, read together: two statements could see a
// continuation come in between.
import type { StateSequence } from "queuert/internal";
import type { Database } from "./database.ts";
import { toStateJob, type JobDocument } from "./job-document.ts";
import type { FindOptions, Scope } from "./store.ts";

export interface SequenceDocuments {
  readonly first: JobDocument;
  readonly current: JobDocument;
}

type FirstWithLast = JobDocument & { readonly last: readonly JobDocument[] };

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

export const toSequenceDocuments = ({ last, ...first }: FirstWithLast): SequenceDocuments => ({
  first,
  current: last[0] ?? first,
});

export const toStateSequence = ({ first, current }: SequenceDocuments): StateSequence => ({
  first: toStateJob(first),
  current: toStateJob(current),
});

/** The sequences that exist, by id. */
export const findSequences = async (
  { jobs }: Database,
  scope: Scope,
  ids: Iterable<string>,
  options?: Pick<FindOptions, "candidates">,
): Promise<Map<string, SequenceDocuments>> => {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const found = await jobs.aggregate<FirstWithLast>(
    scope,
    [{ $match: { _id: { $in: wanted }, position: 0 } }, withLastJob(jobs.name)],
    options,
  );
  return new Map(found.map((each) => [each._id, toSequenceDocuments(each)]));
};
