// StateJob, as stores keep it, to Job and JobSequence, as users see them. Types are put back at the door.
import type { Job } from "./job.ts";
import { fromJsonText } from "./payload.ts";
import type { CompletedJobSequence, JobSequence } from "./sequence.ts";
import type { StateJob, StateJobReference, StateSequence } from "./state-job.ts";

const noBlockers: readonly JobSequence[] = [];

/**
 * A stored job as users see it. The fields are written out and added one by one, because this runs for every attempt.
 * Spreading objects together took a tenth of the time of a short job.
 */
export const toJob = (job: StateJob, blockers: readonly JobSequence[] = noBlockers): Job => {
  const fields: Record<string, unknown> = {
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
    status: job.status,
  };
  addStatusFields(fields, job);
  // Each status has exactly the fields that its member of the union declares.
  return fields as unknown as Job;
};

const addStatusFields = (fields: Record<string, unknown>, job: StateJob): void => {
  switch (job.status) {
    case "blocked":
    case "pending":
      return;
    case "running":
      fields["leasedBy"] = job.leasedBy;
      fields["leasedUntil"] = job.leasedUntil;
      fields["leaseVersion"] = job.leaseVersion;
      return;
    case "completed":
      fields["completedAt"] = job.finishedAt;
      fields["completedBy"] = job.completedBy;
      fields["leaseVersion"] = job.leaseVersion;
      fields["output"] = job.output === null ? undefined : fromJsonText(job.output, job.id);
      fields["continuedToId"] = job.continuedToId;
      return;
    case "failed":
      fields["failedAt"] = job.finishedAt;
      fields["lastAttemptError"] = job.lastAttemptError ?? "";
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
