// A running job waits again: its attempt failed, it asked to, or it was handed back without having begun.
import type {
  RescheduleJobsParams,
  RescheduleResult,
} from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessContext } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { toInstant } from "../instants.ts";
import { isHeld, whyLost } from "../lease-check.ts";
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
  const cell = store.cells.get(job.jobId);
  const state = cell?.state;
  if (cell === undefined || !isHeld(state, job.leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  const scheduledAt =
    job.schedule === null ? state.scheduledAt : toInstant(job.schedule, store.now);
  store.put(cell, {
    ...state,
    status: "pending",
    scheduledAt,
    attempt: job.countsAttempt ? state.attempt : Math.max(0, state.attempt - 1),
    lastAttemptError: job.error ?? state.lastAttemptError,
    leasedBy: null,
    leasedUntil: null,
  });
  return { kind: "rescheduled", scheduledAt: new Date(scheduledAt) };
};
