import type { StateAdapter, StateSequence } from "queuert/internal";
import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import {
  addLastJobs,
  firstThenLast,
  toSequences,
  toStateSequence,
  withLastJob,
} from "../sequences.ts";
import type { Scope } from "../store.ts";
import { createdWithin, pageAfter, treeMembers } from "./list-filters.ts";

type ListSequences = StateAdapter<object, object, string>["listSequences"];
type Params = Parameters<ListSequences>[0];

export const createListSequences =
  (db: Database): ListSequences =>
  async (params) => {
    if (params.limit <= 0) return [];
    const scope = db.scopeOf(params.context);
    return db.isSharded && scope.session !== undefined
      ? listInSteps(db, scope, params)
      : listAtOnce(db, scope, params);
  };

const toFilter = (params: Params): object => {
  const { typeNames, rootSequenceId } = params;
  const conditions = [
    { position: 0 },
    pageAfter(params),
    createdWithin(params),
    ...(typeNames === null ? [] : [{ typeName: { $in: typeNames } }]),
    ...(rootSequenceId === null ? [] : [treeMembers([rootSequenceId])]),
  ];
  return { $and: conditions };
};

const toSort = ({ order }: Params): { readonly ordinal: 1 | -1 } => ({
  ordinal: order === "asc" ? 1 : -1,
});

// Streamed in order: sequences are looked at until the page is full, and no further.
const listAtOnce = async (
  { jobs }: Database,
  scope: Scope,
  params: Params,
): Promise<StateSequence[]> => {
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
  return [...toSequences(found).values()].map(toStateSequence);
};

// Looks at as many sequences as the page may hold, and at the next as long as it is not full: see `addLastJobs`.
const listInSteps = async (
  db: Database,
  scope: Scope,
  params: Params,
): Promise<StateSequence[]> => {
  const { statuses, limit } = params;
  const page: StateSequence[] = [];
  let { afterOrdinal } = params;
  for (;;) {
    const filter = toFilter({ ...params, afterOrdinal });
    const firsts = await db.jobs.find(scope, filter, { sort: toSort(params), limit });
    const sequences = await addLastJobs(db, scope, firsts);
    for (const sequence of sequences.values()) {
      if (statuses === null || statuses.includes(sequence.current.status)) {
        page.push(toStateSequence(sequence));
      }
    }
    const last = firsts.at(-1);
    if (page.length >= limit || last === undefined || firsts.length < limit) break;
    afterOrdinal = last.ordinal;
  }
  return page.slice(0, limit);
};
