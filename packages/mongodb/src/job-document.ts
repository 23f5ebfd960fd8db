// Document ⇄ StateJob: the only place that knows how a job is stored. What is null in a StateJob is absent here, and so is
// what a sequence's first job says twice: documents are small, and partial indexes leave out what they do not serve.
import type { JobStatus, StateJob, StateJobReference } from "queuert/internal";

export interface JobDocument {
  readonly _id: string;
  readonly typeName: string;
  /** None in a sequence's first job, whose id it is; as its type and time are. */
  readonly sequenceId?: string | undefined;
  readonly sequenceTypeName?: string | undefined;
  readonly sequenceCreatedAt?: Date | undefined;
  /** None in the first job of the root itself. */
  readonly rootSequenceId?: string | undefined;
  readonly originId?: string | undefined;
  readonly position: number;
  readonly ordinal: number;
  readonly status: JobStatus;
  /** JSON as text, never as a document: the same meaning as in every other store. */
  readonly input: string;
  readonly output?: string | undefined;
  readonly continuedToId?: string | undefined;
  readonly priority: number;
  /** None: "wait". */
  readonly onBlockerFailure?: "fail" | undefined;
  readonly deduplicationKey?: string | undefined;
  readonly createdAt: Date;
  readonly scheduledAt: Date;
  readonly attempt: number;
  readonly lastAttemptAt?: Date | undefined;
  readonly lastAttemptError?: string | undefined;
  readonly leaseVersion: number;
  readonly leasedBy?: string | undefined;
  readonly leasedUntil?: Date | undefined;
  readonly finishedAt?: Date | undefined;
  readonly completedBy?: string | undefined;
  /** The lease under which it was completed; none without a worker. */
  readonly completedByLease?: number | undefined;
  readonly traceContext?: string | undefined;

  /** The tree's jobs but for its root's first: only those are in the index by tree. */
  readonly treeMember?: true | undefined;
  /** The sequences it waits or waited for, as given. */
  readonly blockers?: readonly string[] | undefined;
  /** Those of them that have not completed, each once. */
  readonly openBlockers?: readonly string[] | undefined;
  /** Somebody waits for this job's sequence: ending it takes a transaction. */
  readonly hasWaiters?: true | undefined;
  /** Of the last acquisition: how it finds out what it has taken. */
  readonly claim?: string | undefined;
  /** Of the last other batch that wrote the job; a field of its own, for an acquisition may follow at once. */
  readonly token?: string | undefined;
  /** Written for nothing but to have written the job: who has it, keeps others from it. */
  readonly lockToken?: string | undefined;
  /** The worker whose expired lease the last acquisition took over. */
  readonly reclaimedFrom?: string | undefined;
}

// Of documents that were read with these fields: without them a later job would pass for a first one.
export const sequenceIdOf = ({
  _id,
  sequenceId = _id,
}: Pick<JobDocument, "_id" | "sequenceId">): string => sequenceId;

export const rootSequenceIdOf = ({
  _id,
  rootSequenceId = _id,
}: Pick<JobDocument, "_id" | "rootSequenceId">): string => rootSequenceId;

export const toStateJob = (document: JobDocument): StateJob => ({
  id: document._id,
  typeName: document.typeName,
  sequenceId: sequenceIdOf(document),
  sequenceTypeName: document.sequenceTypeName ?? document.typeName,
  sequenceCreatedAt: document.sequenceCreatedAt ?? document.createdAt,
  rootSequenceId: rootSequenceIdOf(document),
  originId: document.originId ?? null,
  position: document.position,
  ordinal: document.ordinal,
  status: document.status,
  input: document.input,
  output: document.output ?? null,
  continuedToId: document.continuedToId ?? null,
  priority: document.priority,
  onBlockerFailure: document.onBlockerFailure ?? "wait",
  deduplicationKey: document.deduplicationKey ?? null,
  createdAt: document.createdAt,
  scheduledAt: document.scheduledAt,
  attempt: document.attempt,
  lastAttemptAt: document.lastAttemptAt ?? null,
  lastAttemptError: document.lastAttemptError ?? null,
  leaseVersion: document.leaseVersion,
  leasedBy: document.leasedBy ?? null,
  leasedUntil: document.leasedUntil ?? null,
  finishedAt: document.finishedAt ?? null,
  completedBy: document.completedBy ?? null,
  traceContext: document.traceContext ?? null,
});

export const toReference = (document: JobDocument): StateJobReference => ({
  id: document._id,
  typeName: document.typeName,
  sequenceId: sequenceIdOf(document),
  sequenceTypeName: document.sequenceTypeName ?? document.typeName,
  rootSequenceId: rootSequenceIdOf(document),
  originId: document.originId ?? null,
});

/** The fields of a reference, for statements that need no more. */
export const referenceFields: Readonly<
  Record<"typeName" | "sequenceId" | "sequenceTypeName" | "rootSequenceId" | "originId", 1>
> = {
  typeName: 1,
  sequenceId: 1,
  sequenceTypeName: 1,
  rootSequenceId: 1,
  originId: 1,
};
