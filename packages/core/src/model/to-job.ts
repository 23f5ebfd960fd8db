// StateJob, as stores keep it, to Job and JobSequence, as users see them. Types are put back at the door.
import type { Job } from "./job.ts";
import { fromJsonText } from "./payload.ts";
import type { CompletedJobSequence, JobSequence } from "./sequence.ts";
import type { StateJob, StateJobReference, StateSequence } from "./state-job.ts";

/** A stored job as users see it. */
export const toJob = (job: StateJob, blockers: readonly JobSequence[] = noBlockers): Job => {
  const common = {
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    position: job.position,
    input: fromJsonText(job.input, job.id),
    blockers,
    priority: job.priority,
    createdAt: job.createdAt,
    scheduledAt: job.scheduledAt,
    attempt: job.attempt,
    lastAttemptAt: job.lastAttemptAt,
    lastAttemptError: job.lastAttemptError,
    deduplicationKey: job.deduplicationKey,
  };
  // Each status carries exactly the fields that its member of the union declares.
  return { ...common, status: job.status, ...statusFields(job) } as unknown as Job;
};

const noBlockers: readonly JobSequence[] = [];

/**
 * `toJob` for the one that is made for every attempt: written out, for spreading objects together was a tenth of what a
 * short job cost.
 */
export const toRunningJob = (job: StateJob, blockers: readonly JobSequence[]): Job =>
  // As above; acquired, it has a lease.
  ({
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    position: job.position,
    input: fromJsonText(job.input, job.id),
    blockers,
    priority: job.priority,
    createdAt: job.createdAt,
    scheduledAt: job.scheduledAt,
    attempt: job.attempt,
    lastAttemptAt: job.lastAttemptAt,
    lastAttemptError: job.lastAttemptError,
    deduplicationKey: job.deduplicationKey,
    status: "running",
    leasedBy: job.leasedBy,
    leasedUntil: job.leasedUntil,
    leaseVersion: job.leaseVersion,
  }) as unknown as Job;

const statusFields = (job: StateJob): Record<string, unknown> => {
  switch (job.status) {
    case "blocked":
    case "pending":
      return {};
    case "running":
      return {
        leasedBy: job.leasedBy,
        leasedUntil: job.leasedUntil,
        leaseVersion: job.leaseVersion,
      };
    case "completed":
      return {
        completedAt: job.finishedAt,
        completedBy: job.completedBy,
        leaseVersion: job.leaseVersion,
        output: job.output === null ? undefined : fromJsonText(job.output, job.id),
        continuedToId: job.continuedToId,
      };
    case "failed":
      return { failedAt: job.finishedAt, lastAttemptError: job.lastAttemptError ?? "" };
  }
};

/** A stored sequence as users see it: its first job's identity, its current job's status. */
export const toJobSequence = ({ first, current }: StateSequence): JobSequence => {
  const sequence = {
    id: first.id,
    typeName: first.typeName,
    originId: first.originId,
    rootSequenceId: first.rootSequenceId,
    input: fromJsonText(first.input, first.id),
    createdAt: first.createdAt,
    currentJobId: current.id,
    // A completed job that has continued would have another for its current one.
    status: current.status,
  };
  const ended = endOfSequence(current);
  return (ended === null ? sequence : { ...sequence, ...ended }) as JobSequence;
};

const endOfSequence = (current: StateJob): Record<string, unknown> | null => {
  if (current.status === "completed" && current.continuedToId === null) {
    return {
      status: "completed",
      output: current.output === null ? undefined : fromJsonText(current.output, current.id),
      completedAt: current.finishedAt,
    };
  }
  if (current.status === "failed") {
    return {
      status: "failed",
      error: current.lastAttemptError ?? "",
      failedAt: current.finishedAt,
    };
  }
  return null;
};

/** Blockers as a process function sees them: acquired only after every one has completed. */
export const toCompletedSequences = (
  blockers: readonly StateSequence[],
): readonly CompletedJobSequence[] =>
  blockers.map((blocker) => toJobSequence(blocker) as CompletedJobSequence);

/** The fields that name a job. */
export const toReference = (job: StateJobReference): StateJobReference => ({
  id: job.id,
  typeName: job.typeName,
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  rootSequenceId: job.rootSequenceId,
  originId: job.originId,
});
