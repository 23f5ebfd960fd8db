// Queries: from stored records to jobs and sequences as users see them. Filters are checked here, and applied by the store.
import type { Engine } from "../engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { defaults, limits } from "../defaults.ts";
import { assertElementCount, assertInteger, assertName } from "../model/assert-option.ts";
import { type CursorList, decodeCursor, encodeCursor } from "../model/cursor.ts";
import type { Page, PageOrder } from "../model/page.ts";
import { assertInstant } from "../model/schedule.ts";
import { type JobStatus, jobStatuses } from "../model/status.ts";
import { type Job, toJob } from "../model/job.ts";
import { type JobSequence, toJobSequence, toJobSequences } from "../model/sequence.ts";

export interface LookOptions {
  readonly id: string;
  readonly typeName?: string | undefined;
}

export interface ListOptions {
  readonly typeName?: string | readonly string[] | undefined;
  readonly status?: JobStatus | readonly JobStatus[] | undefined;
  readonly sequenceTypeName?: string | readonly string[] | undefined;
  readonly sequenceId?: string | undefined;
  readonly rootSequenceId?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
  readonly order?: PageOrder | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

/** Of both lists. */
export const listOptionNames: readonly string[] = [
  "typeName",
  "status",
  "rootSequenceId",
  "createdFrom",
  "createdTo",
  "order",
  "limit",
  "cursor",
];

/** One job, with its blockers. */
export const getJob = async (
  { state, codec }: Engine,
  context: object | undefined,
  { id, typeName }: LookOptions,
): Promise<Job | undefined> => {
  assertName(id, "id");
  const [job] = await state.getJobs({ context, ids: [id] });
  if (job === undefined || (typeName !== undefined && job.typeName !== typeName)) return undefined;
  const [blockers = []] = await state.getBlockers({ context, ids: [id] });
  return toJob(codec, job, toJobSequences(codec, blockers));
};

/** One sequence. */
export const getJobSequence = async (
  { state, codec }: Engine,
  context: object | undefined,
  { id, typeName }: LookOptions,
): Promise<JobSequence | undefined> => {
  assertName(id, "id");
  const [sequence] = await state.getSequences({ context, ids: [id] });
  if (sequence === undefined) return undefined;
  if (typeName !== undefined && sequence.first.typeName !== typeName) return undefined;
  return toJobSequence(codec, sequence);
};

/** One page of jobs. */
export const listJobs = async (
  { state, codec }: Engine,
  context: object | undefined,
  options: ListOptions,
): Promise<Page<Job>> => {
  const filter = toFilter("jobs", options);
  // One more than asked for tells whether there is a next page.
  const jobs = await state.listJobs({
    context,
    ...filter,
    sequenceTypeNames: toArray(options.sequenceTypeName, "sequenceTypeName"),
    sequenceId: toId(options.sequenceId, "sequenceId"),
    limit: filter.limit + 1,
  });
  const page = jobs.slice(0, filter.limit);
  const blockers = await state.getBlockers({ context, ids: page.map(({ id }) => id) });
  const items = page.map((job, index) =>
    toJob(codec, job, toJobSequences(codec, blockers[index] ?? [])),
  );
  const last = jobs.length > filter.limit ? page.at(-1) : undefined;
  return {
    items,
    nextCursor: last === undefined ? null : encodeCursor("jobs", filter.order, last.ordinal),
  };
};

/** One page of sequences. */
export const listJobSequences = async (
  { state, codec }: Engine,
  context: object | undefined,
  options: ListOptions,
): Promise<Page<JobSequence>> => {
  const filter = toFilter("sequences", options);
  const sequences = await state.listSequences({ context, ...filter, limit: filter.limit + 1 });
  const page = sequences.slice(0, filter.limit);
  const last = sequences.length > filter.limit ? page.at(-1)?.first : undefined;
  return {
    items: toJobSequences(codec, page),
    nextCursor: last === undefined ? null : encodeCursor("sequences", filter.order, last.ordinal),
  };
};

interface Filter {
  readonly typeNames: readonly string[] | null;
  readonly statuses: readonly JobStatus[] | null;
  readonly rootSequenceId: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
  readonly order: PageOrder;
  readonly limit: number;
  readonly afterOrdinal: number | null;
}

const toFilter = (list: CursorList, options: ListOptions): Filter => {
  const { order = "desc", limit = defaults.listLimit, cursor } = options;
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  if (order !== "asc" && order !== "desc") {
    throw new InvalidOptionError("order", order, 'give "asc" or "desc"');
  }
  const statuses = toArray(options.status, "status");
  const unknownStatus = statuses?.find((status) => !jobStatuses.includes(status));
  if (unknownStatus !== undefined) {
    throw new InvalidOptionError("status", unknownStatus, `give some of ${jobStatuses.join(", ")}`);
  }
  return {
    typeNames: toArray(options.typeName, "typeName"),
    statuses,
    rootSequenceId: toId(options.rootSequenceId, "rootSequenceId"),
    createdFrom: toInstant(options.createdFrom, "createdFrom"),
    createdTo: toInstant(options.createdTo, "createdTo"),
    order,
    limit,
    afterOrdinal: decodeCursor(list, order, cursor),
  };
};

const toArray = <T extends string>(
  value: T | readonly T[] | undefined,
  option: string,
): readonly T[] | null => {
  if (value === undefined) return null;
  const values = Array.isArray(value) ? (value as readonly T[]) : [value as T];
  assertElementCount(values, option);
  for (const one of values) assertName(one, option);
  return values;
};

const toId = (value: string | undefined, option: string): string | null => {
  if (value === undefined) return null;
  assertName(value, option);
  return value;
};

const toInstant = (value: Date | undefined, option: string): Date | null => {
  if (value === undefined) return null;
  assertInstant(value, option);
  return value;
};
