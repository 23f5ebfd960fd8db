import type { NewStateJob } from "../adapters/state-adapter-params.ts";
import type { JobRecord } from "../model/state-job.ts";

/** The part of a new job that its store decides. */
export interface StoredPlace<TInstant> {
  readonly id: string;
  readonly ordinal: number;
  readonly createdAt: TInstant;
  /** The same object as `createdAt` for a job that is due at once: dates are large. */
  readonly scheduledAt: TInstant;
  /** When the first job of its sequence was created. */
  readonly sequenceCreatedAt: TInstant;
}

/**
 * A new job as it is stored. Every field is written out, because this runs for every job. With spread properties the
 * object takes 129 ns to make, without them 24 ns (Node 20).
 */
export const newStateJob = <TInstant>(
  job: NewStateJob,
  { id, ordinal, createdAt, scheduledAt, sequenceCreatedAt }: StoredPlace<TInstant>,
): JobRecord<TInstant> => {
  const isEntry = job.kind === "entry";
  return {
    id,
    typeName: job.typeName,
    sequenceId: isEntry ? id : job.sequenceId,
    sequenceTypeName: isEntry ? job.typeName : job.sequenceTypeName,
    sequenceCreatedAt,
    rootSequenceId: job.rootSequenceId ?? id,
    originId: job.originId,
    position: isEntry ? 0 : job.position,
    ordinal,
    status: job.awaitsBlockers ? "blocked" : "pending",
    input: job.input,
    output: null,
    continuedToId: null,
    priority: job.priority,
    onBlockerFailure: job.onBlockerFailure,
    deduplicationKey: isEntry ? (job.deduplication?.key ?? null) : null,
    createdAt,
    scheduledAt,
    attempt: 0,
    lastAttemptAt: null,
    lastAttemptError: null,
    leaseVersion: 0,
    leasedBy: null,
    leasedUntil: null,
    finishedAt: null,
    completedBy: null,
    traceContext: job.traceContext,
  };
};
