// A failed job gets another life: due now, with its attempts counted anew.
import { retryInRounds } from "../../adapter-kit/retry-rounds.ts";
import type { RetryFailedResult } from "../../adapters/state-adapter-params.ts";
import type { Database } from "../database.ts";
import { findOtherUnfinished } from "../deduplication-index.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { countIncomplete } from "../release-dependants.ts";
import { hasFailed } from "../job-cell.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../to-state-job.ts";

export const retryFailedJobs =
  (database: Database): InProcessMethod<"retryFailedJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, "retryFailedJobs", (store) =>
          retryInRounds(ids, (id) => retry(store, id)),
        );

const retry = (store: Store, id: string): RetryFailedResult => {
  const cell = store.cells.get(id);
  const state = cell?.state;
  if (cell === undefined || state === undefined) return { kind: "refused", reason: "not_found" };
  if (state.status !== "failed") return { kind: "refused", reason: "not_failed" };
  const failed =
    cell.onBlockerFailure === "fail"
      ? state.blockers.find(({ sequence }) => hasFailed(sequence))
      : undefined;
  if (failed !== undefined) {
    return { kind: "refused", reason: "blocker_failed", bySequenceId: failed.sequence.id };
  }
  const key = cell.first.deduplicationKey;
  const holder = key === null ? undefined : findOtherUnfinished(cell.first, key);
  if (holder !== undefined) {
    const bySequenceId = holder.id;
    return { kind: "refused", reason: "deduplication_key_taken", bySequenceId };
  }
  const incompleteBlockerCount = countIncomplete(state.blockers.map(({ sequence }) => sequence));
  store.put(cell, {
    ...state,
    status: incompleteBlockerCount === 0 ? "pending" : "blocked",
    incompleteBlockerCount,
    attempt: 0,
    scheduledAt: store.now,
    finishedAt: null,
  });
  return { kind: "retried", job: requireJob(cell) };
};
