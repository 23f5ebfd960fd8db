// The jobs that a retry of a failed job needs. With `onBlockerFailure: "fail"` it is refused while a blocker is failed, so both are
// retried in one call. A job of which a blocker was cancelled never runs again.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobRef, RootCause } from "../../public-types/explanation.ts";
import { toRef } from "./words.ts";

/** A larger graph is cut here: as many ids as one plan takes. */
const jobsMax = 1_000;

export interface RetryPath {
  /** Failed blockers, and those of them in turn. */
  readonly failed: readonly JobRef[];
  /** A blocker that was cancelled. Null: a retry is not refused for one. */
  readonly cancelled: JobRef | null;
}

/** Of the failed job that decides: the job itself, or its root cause. Null: none has failed. */
export const findRetryPath = async (
  state: AnyStateAdapter,
  job: StateJob,
  rootCause: RootCause | null,
  context: object | undefined,
): Promise<RetryPath | null> => {
  if (job.status === "failed") return followFailed(state, job, context);
  const cause = rootCause?.path.at(-1);
  if (cause === undefined || rootCause?.reason.kind !== "failed") return null;
  const [failed] = await state.getJobs({ context, ids: [cause.jobId] });
  return failed?.status === "failed" ? followFailed(state, failed, context) : null;
};

const followFailed = async (
  state: AnyStateAdapter,
  job: StateJob,
  context: object | undefined,
): Promise<RetryPath> => {
  const failed = new Map<string, JobRef>();
  let frontier: readonly StateJob[] = [job];
  while (frontier.length > 0 && failed.size < jobsMax) {
    const ids = frontier.map(({ id }) => id);
    const blockers = await state.getBlockers({ context, ids });
    const next: StateJob[] = [];
    for (const [index, { onBlockerFailure, attempt }] of frontier.entries()) {
      if (onBlockerFailure === "continue") continue;
      // Without an attempt it failed for its blockers, and would wait for them again.
      const isForBlockers = onBlockerFailure === "fail" || attempt === 0;
      for (const { current } of blockers[index] ?? []) {
        if (current.status === "cancelled") return { failed: [], cancelled: toRef(current) };
        const isNew = !failed.has(current.id) && current.id !== job.id;
        if (!isForBlockers || current.status !== "failed" || !isNew) continue;
        failed.set(current.id, toRef(current));
        next.push(current);
      }
    }
    frontier = next;
  }
  return { failed: [...failed.values()], cancelled: null };
};
