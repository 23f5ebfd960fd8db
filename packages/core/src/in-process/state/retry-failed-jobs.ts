// A failed job becomes due now, with its attempts counted from 0.
import { retryInRounds } from "../../adapter-kit/retry-rounds.ts";
import type { RetryFailedResult } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { findOtherUnfinished } from "../deduplication-index.ts";
import { countIncomplete } from "../dependants.ts";
import { hasFailed, wasCancelled } from "../stored-job.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../views.ts";

export const retryFailedJobs =
  (database: Database): InProcessMethod<"retryFailedJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, "retryFailedJobs", (store) =>
          retryInRounds(ids, (id) => retry(store, id)),
        );

const retry = (store: Store, id: string): RetryFailedResult => {
  const stored = store.byId.get(id);
  const state = stored?.state;
  if (stored === undefined || state === undefined) return { kind: "refused", reason: "not_found" };
  if (state.status !== "failed") return { kind: "refused", reason: "not_failed" };
  const failed =
    stored.onBlockerFailure === "fail"
      ? state.blockers.find(({ sequence }) => hasFailed(sequence))
      : undefined;
  if (failed !== undefined) {
    return { kind: "refused", reason: "blocker_failed", bySequenceId: failed.sequence.id };
  }
  const cancelled =
    stored.onBlockerFailure === "continue"
      ? undefined
      : state.blockers.find(({ sequence }) => wasCancelled(sequence));
  if (cancelled !== undefined) {
    return { kind: "refused", reason: "blocker_cancelled", bySequenceId: cancelled.sequence.id };
  }
  const key = stored.first.deduplicationKey;
  const holder = key === null ? undefined : findOtherUnfinished(stored.first, key);
  if (holder !== undefined) {
    const bySequenceId = holder.id;
    return { kind: "refused", reason: "deduplication_key_taken", bySequenceId };
  }
  const incompleteBlockerCount = countIncomplete(stored, state.blockers);
  store.put(stored, {
    ...state,
    status: incompleteBlockerCount === 0 ? "pending" : "blocked",
    incompleteBlockerCount,
    attempt: 0,
    scheduledAt: store.now,
    finishedAt: null,
  });
  return { kind: "retried", job: requireJob(stored) };
};
