// A running job becomes pending again: its attempt failed, its handler rescheduled it, or it was handed back before it began.
import type {
  RescheduleJobsParams,
  RescheduleResult,
} from "../../adapters/state-adapter-params.ts";
import { withAttempt } from "../attempts.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { toInstant } from "../instants.ts";
import { isHeld, whyLost } from "../stored-job.ts";
import type { Store } from "../store.ts";

export const rescheduleJobs =
  (database: Database): InProcessMethod<"rescheduleJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, "rescheduleJobs", (store) =>
          jobs.map((job) => reschedule(store, job)),
        );

const reschedule = (
  store: Store,
  job: RescheduleJobsParams<InProcessContext>["jobs"][number],
): RescheduleResult => {
  const stored = store.byId.get(job.jobId);
  const state = stored?.state;
  if (stored === undefined || !isHeld(state, job.leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  const scheduledAt =
    job.schedule === null ? state.scheduledAt : toInstant(job.schedule, store.now);
  store.put(stored, {
    ...state,
    status: "pending",
    scheduledAt,
    attempt: job.countsAttempt ? state.attempt : Math.max(0, state.attempt - 1),
    lastAttemptError: job.error ?? state.lastAttemptError,
    attempts:
      job.error === null
        ? state.attempts
        : withAttempt(
            state,
            { outcome: "retried", error: job.error, nextAt: scheduledAt },
            store.now,
          ),
    leasedBy: null,
    leasedUntil: null,
  });
  return { kind: "rescheduled", scheduledAt: new Date(scheduledAt) };
};
