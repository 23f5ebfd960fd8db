// The effects of settled jobs on others: events, continuations, released dependants. Flushed after the commit.
import type {
  CompleteJobsResult,
  FailJobsResult,
  JobCompletion,
} from "../adapters/state-adapter-params.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Effects } from "../after-commit/post-commit-effects.ts";
import type { StateJob } from "../model/state-job.ts";
import { toReference } from "../model/job.ts";
import { addCreatedEffects, sequenceData } from "./created-effects.ts";

/** One completed job: its own end, its continuation or its sequence's end. */
export const addCompletedEffects = (
  effects: Effects,
  job: StateJob,
  outcome: JobCompletion["outcome"],
  result: Extract<CompleteJobsResult["results"][number], { readonly kind: "completed" }>,
  workerId: string | null,
): void => {
  const { completedAt, continuation } = result;
  const continuedToId = outcome.kind === "continuedTo" ? outcome.jobId : (continuation?.id ?? null);
  effects.emit("jobCompleted", () => ({
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    workerId,
    continuedToId,
    durationMs: completedAt.getTime() - job.createdAt.getTime(),
  }));
  if (continuation !== null) addCreatedEffects(effects, continuation, []);
  if (outcome.kind !== "output") return;
  effects.sequenceEnded(job.sequenceId);
  effects.emit("jobSequenceCompleted", () => ({
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.position === 0 ? job.originId : null,
    durationMs: completedAt.getTime() - job.sequenceCreatedAt.getTime(),
  }));
};

/** Dependants that a sequence's end has released. `spans`: of the attempts that ended those sequences, as far as known. */
export const addUnblockedEffects = (
  effects: Effects,
  unblocked: CompleteJobsResult["unblocked"],
  spans?: ReadonlyMap<string, ObservabilitySpan>,
): void => {
  for (const job of unblocked) {
    if (spans !== undefined) effects.about(spans.get(job.unblockedBySequenceId) ?? null);
    effects.jobScheduled(job.typeName);
    effects.emit("jobUnblocked", () => ({
      ...toReference({ ...job }),
      unblockedBySequenceId: job.unblockedBySequenceId,
    }));
  }
};

/** One failed job. */
export const addFailedJobEffects = (
  effects: Effects,
  job: StateJob,
  failedAt: Date,
  workerId: string | null,
  reason: string,
): void => {
  effects.sequenceEnded(job.sequenceId);
  effects.emit("jobFailed", () => ({ ...toReference(job), workerId, reason }));
  addFailedSequenceEffects(effects, job, failedAt);
};

/** Blocked jobs that failed with a blocker, by their own option. `stored`: their records, where known. */
export const addFailedDependantEffects = (
  effects: Effects,
  dependants: FailJobsResult["dependants"],
  stored: readonly (StateJob | undefined)[],
): void => {
  dependants.forEach((dependant, index) => {
    effects.sequenceEnded(dependant.sequenceId);
    effects.emit("jobFailed", () => ({
      ...toReference(dependant),
      workerId: null,
      reason: "a blocker has failed",
    }));
    const job = stored[index];
    const failedAt = job?.finishedAt ?? null;
    if (job !== undefined && failedAt !== null) addFailedSequenceEffects(effects, job, failedAt);
  });
};

const addFailedSequenceEffects = (effects: Effects, job: StateJob, failedAt: Date): void =>
  effects.emit("jobSequenceFailed", () => ({
    ...sequenceData(job),
    durationMs: failedAt.getTime() - job.sequenceCreatedAt.getTime(),
  }));
