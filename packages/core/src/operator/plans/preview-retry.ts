// The jobs that a retry would refuse, and the jobs that wait for the others. The store decides: jobs that could be refused are
// retried in a transaction that is rolled back.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import { countOf } from "../explain/words.ts";
import type { RefusedJob } from "./actions.ts";

export interface RetryPreview {
  readonly refused: readonly RefusedJob[];
  readonly consequences: readonly string[];
}

/** More jobs are not tried, and not followed to the jobs that wait for them. */
export const previewedMax = 1_000;

/** `count`: of all jobs of the plan. */
export const previewRetry = async (
  state: AnyStateAdapter,
  jobs: readonly StateJob[],
  count: number,
): Promise<RetryPreview> => {
  const doubtful = jobs.filter(
    ({ deduplicationKey, position, onBlockerFailure, attempt }) =>
      deduplicationKey !== null ||
      position > 0 ||
      onBlockerFailure === "fail" ||
      // It failed without an attempt, as a job does that waits for a cancelled one.
      attempt === 0,
  );
  const refused = await tryRetry(
    state,
    doubtful.map(({ id }) => id),
  );
  const waiting = await countDependants(state, jobs);
  return { refused, consequences: [...waiting, ...untried(count - jobs.length)] };
};

const rollBack = new Error("The preview of a retry is rolled back.");

const tryRetry = async (
  state: AnyStateAdapter,
  ids: readonly string[],
): Promise<readonly RefusedJob[]> => {
  if (ids.length === 0) return [];
  const refused: RefusedJob[] = [];
  try {
    await state.runInTransaction(async (context) => {
      const results = await state.retryFailedJobs({ context, ids });
      for (const [index, result] of results.entries()) {
        if (result.kind === "refused") {
          refused.push({ id: ids[index] ?? "", reason: result.reason });
        }
      }
      throw rollBack;
    });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  return refused;
};

const countDependants = async (
  state: AnyStateAdapter,
  jobs: readonly StateJob[],
): Promise<readonly string[]> => {
  if (jobs.length === 0) return [];
  const ids = [...new Set(jobs.map(({ sequenceId }) => sequenceId))];
  const edges = await state.listBlockerEdges({ ids });
  const own = new Set(ids);
  const waiting = new Set(
    edges.filter(({ blockerSequenceId }) => own.has(blockerSequenceId)).map(({ jobId }) => jobId),
  );
  if (waiting.size === 0) return [];
  const consequence =
    waiting.size === 1
      ? "waits for them, and runs when they complete."
      : "wait for them, and run when they complete.";
  return [`${countOf(waiting.size, "job")} ${consequence}`];
};

const untried = (count: number): readonly string[] =>
  count <= 0
    ? []
    : [`${countOf(count, "further job")} were not tried: some of them may be refused.`];
