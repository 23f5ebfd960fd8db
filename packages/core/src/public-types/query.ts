import type { JobStatus } from "../model/status.ts";
import type { PageOrder } from "../model/page.ts";

type OneOrMore<T> = T | readonly T[];

interface PageOptions {
  /** Only jobs or sequences created at this time or later. Default: no limit. */
  readonly createdFrom?: Date | undefined;
  /** Only jobs or sequences created before this time. Default: no limit. */
  readonly createdTo?: Date | undefined;
  /** By creation: `"desc"` (default), the newest first, or `"asc"`. */
  readonly order?: PageOrder | undefined;
  /** The most items of a page, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | null | undefined;
}

/** The filters and the page of `listJobs`. Each filter narrows. */
export interface ListJobsOptions<
  TJobId extends string,
  TTypeName extends string,
  TStatus extends JobStatus,
  TSequenceTypeName extends string,
> extends PageOptions {
  /** Only jobs of these types. Default: of all. */
  readonly typeName?: OneOrMore<TTypeName> | undefined;
  /** Only jobs of sequences that started with these types. Default: of all. */
  readonly sequenceTypeName?: OneOrMore<TSequenceTypeName> | undefined;
  /** Only jobs with these statuses. Default: with any. */
  readonly status?: OneOrMore<TStatus> | undefined;
  /** Only the jobs of this sequence. Default: of all. */
  readonly sequenceId?: TJobId | undefined;
  /** Only the jobs of the tree of this root. Default: of all. */
  readonly rootSequenceId?: TJobId | undefined;
}

/**
 * The filters and the page of `listJobSequences`. The type is that of the first job, the status that
 * of the current one.
 */
export interface ListJobSequencesOptions<
  TJobId extends string,
  TTypeName extends string,
  TStatus extends JobStatus,
> extends PageOptions {
  /** Only sequences that started with these types. Default: with any. */
  readonly typeName?: OneOrMore<TTypeName> | undefined;
  /** Only sequences with these statuses. Default: with any. */
  readonly status?: OneOrMore<TStatus> | undefined;
  /** Only the sequences of the tree of this root. Default: of all. */
  readonly rootSequenceId?: TJobId | undefined;
}

/** The members of a union of entities that can have one of these statuses. */
export type WithStatus<TEntity, TStatus extends JobStatus> = TEntity extends {
  readonly status: infer TOwnStatus;
}
  ? [TOwnStatus & TStatus] extends [never]
    ? never
    : TEntity
  : never;

/** A sequence in a blocker graph, with the reason why its dependants wait. */
export interface BlockerGraphNode<TJobId extends string, TTypeName extends string> {
  readonly sequenceId: TJobId;
  readonly typeName: TTypeName;
  readonly status: JobStatus;
  readonly currentJobId: TJobId;
  readonly currentTypeName: string;
  /** Why a failed sequence failed; null otherwise. */
  readonly error: string | null;
}

/**
 * `jobId`, of sequence `sequenceId`, waits (or, when `waiting` is false, waited) for
 * `blockerSequenceId`.
 */
export interface BlockerGraphEdge<TJobId extends string> {
  readonly jobId: TJobId;
  readonly sequenceId: TJobId;
  readonly blockerSequenceId: TJobId;
  /** The place in the job's `blockers`. */
  readonly index: number;
  readonly waiting: boolean;
}

/** The blockers and dependants around one sequence. */
export interface BlockerGraph<TJobId extends string = string, TTypeName extends string = string> {
  readonly nodes: readonly BlockerGraphNode<TJobId, TTypeName>[];
  readonly edges: readonly BlockerGraphEdge<TJobId>[];
}
