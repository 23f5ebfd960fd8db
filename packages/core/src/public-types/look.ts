import type { JobStatus } from "../model/status.ts";
import type { PageOrder } from "../model/page.ts";

type OneOrMore<T> = T | readonly T[];

interface PageOptions {
  /** Times are of creation: from inclusive, to exclusive. */
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly order?: PageOrder;
  readonly limit?: number;
  /** The `nextCursor` of the page before; null for the first page. */
  readonly cursor?: string | null;
}

/** What `listJobs` takes; every filter narrows. */
export interface ListJobsOptions<
  TJobId extends string,
  TTypeName extends string,
  TStatus extends JobStatus,
> extends PageOptions {
  readonly typeName?: OneOrMore<TTypeName>;
  readonly status?: OneOrMore<TStatus>;
  readonly sequenceId?: TJobId;
  readonly rootSequenceId?: TJobId;
}

/**
 * What `listJobSequences` takes; the type is that of the first job, the status that of the current
 * one.
 */
export interface ListJobSequencesOptions<
  TJobId extends string,
  TTypeName extends string,
  TStatus extends JobStatus,
> extends PageOptions {
  readonly typeName?: OneOrMore<TTypeName>;
  readonly status?: OneOrMore<TStatus>;
  readonly rootSequenceId?: TJobId;
}

/** The members of a union of entities that can have one of these statuses. */
export type WithStatus<TEntity, TStatus extends JobStatus> = TEntity extends {
  readonly status: infer TOwnStatus;
}
  ? [TOwnStatus & TStatus] extends [never]
    ? never
    : TEntity
  : never;

/** A sequence in a blocker graph, with what it takes to say why somebody waits for it. */
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

/** Who waits for whom around one sequence, and why. */
export interface BlockerGraph<TJobId extends string = string, TTypeName extends string = string> {
  readonly nodes: readonly BlockerGraphNode<TJobId, TTypeName>[];
  readonly edges: readonly BlockerGraphEdge<TJobId>[];
}
