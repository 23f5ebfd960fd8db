// Steps 3 and 7b of the walk: the notifications and events of created and settled jobs, and of the jobs that they release. They
// go out when their transaction has committed.
import type {
  CompleteJobsResult,
  FailJobsResult,
  JobCompletion,
} from "../adapters/state-adapter-params.ts";
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Effects } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { toReference } from "../model/job.ts";
import type { StateJob } from "../model/state-job.ts";

/** Adds the effects of one created job. */
export const addCreatedEffects = (
  effects: Effects,
  job: StateJob,
  blockerSequenceIds: readonly string[],
): void => {
  // Also for a job that is due later, or whose wait ends: an idle worker sets its timer by that time.
  if (job.status === "pending" || job.blockedUntil !== null) effects.jobScheduled(job.typeName);
  // Field by field: to spread an object costs a microsecond.
  effects.emit("jobCreated", () => ({
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    status: job.status,
    scheduledAt: job.scheduledAt,
    position: job.position,
  }));
  if (job.position === 0) effects.emit("jobSequenceCreated", () => sequenceData(job));
  if (blockerSequenceIds.length > 0 && job.status === "blocked") {
    effects.emit("jobBlocked", () => ({ ...toReference(job), blockerSequenceIds }));
  }
  // A blocker had failed already, and `onBlockerFailure` is "fail".
  if (job.status === "failed") addFailedEffects(effects, job);
};

const addFailedEffects = (effects: Effects, job: StateJob): void => {
  effects.sequenceEnded(job.sequenceId);
  effects.emit("jobFailed", () => ({
    ...toReference(job),
    workerId: null,
    reason: "a blocker had failed",
  }));
  effects.emit("jobSequenceFailed", () => ({ ...sequenceData(job), durationMs: 0 }));
};

/** One stored sequence of a start. */
export interface RecordedStart {
  /** Its first job. */
  readonly job: StateJob;
  /** A stored sequence of the same key was found instead. */
  readonly deduplicated: boolean;
  readonly blockerSequenceIds: readonly string[];
}

/** Records the sequences that one call has started or found, until their commit is known. */
export const recordStarts = (
  engine: Engine,
  context: object | undefined,
  starts: readonly RecordedStart[],
  operation: string,
): void => {
  const [anyStart] = starts;
  if (anyStart === undefined) return;
  const created = starts.find(({ deduplicated }) => !deduplicated);
  const evidence = {
    operation,
    jobId: (created ?? anyStart).job.id,
    jobCount: starts.length,
    isConfirmedBy: (stored: StateJob | undefined): boolean =>
      created === undefined || stored !== undefined,
  };
  engine.effects.record(context, evidence, (effects) => {
    for (const { job, deduplicated, blockerSequenceIds } of starts) {
      if (deduplicated) effects.emit("jobSequenceDeduplicated", () => sequenceData(job));
      else addCreatedEffects(effects, job, blockerSequenceIds);
    }
  });
};

/** The fields that name a job's sequence. The origin is that of its first job, and null for later jobs. */
export const sequenceData = (
  job: StateJob,
): {
  readonly sequenceId: string;
  readonly sequenceTypeName: string;
  readonly rootSequenceId: string;
  readonly originId: string | null;
} => ({
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  rootSequenceId: job.rootSequenceId,
  originId: job.position === 0 ? job.originId : null,
});

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
