// Step 3, announced: what a new job means to others, told once its transaction has committed.
import type { Effects } from "../after-commit/effects.ts";
import type { Engine } from "../engine.ts";
import type { StateJob } from "../model/state-job.ts";
import { toReference } from "../model/to-job.ts";

/** Effects of one created job. */
export const describeCreated = (
  effects: Effects,
  job: StateJob,
  blockerSequenceIds: readonly string[],
): void => {
  // Also for a job due later: an idle worker has to learn the due time to set its timer by.
  if (job.status === "pending") effects.jobScheduled(job.typeName);
  // Field by field: spreading costs a microsecond.
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
  // Its blocker had failed already, and it asked to fail with it.
  if (job.status === "failed") describeFailed(effects, job);
};

const describeFailed = (effects: Effects, job: StateJob): void => {
  effects.sequenceEnded(job.sequenceId);
  effects.emit("jobFailed", () => ({
    ...toReference(job),
    workerId: null,
    reason: "a blocker had failed",
  }));
  effects.emit("jobSequenceFailed", () => ({ ...sequenceData(job), durationMs: 0 }));
};

/** One sequence of a start, as it is stored. */
export interface RecordedStart {
  /** Its first job. */
  readonly job: StateJob;
  /** It was there already. */
  readonly deduplicated: boolean;
  readonly blockerSequenceIds: readonly string[];
}

/** Records what one call has started, or found, with whoever knows of the commit. */
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
  engine.scope.record(context, evidence, (effects) => {
    for (const { job, deduplicated, blockerSequenceIds } of starts) {
      if (deduplicated) effects.emit("jobSequenceDeduplicated", () => sequenceData(job));
      else describeCreated(effects, job, blockerSequenceIds);
    }
  });
};

/** The fields that name a job's sequence. The origin is that of its first job, known here for first jobs only. */
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
