// One acquisition: its room, its gates, and the jobs that it has taken so far.
import type { BatchCondition } from "../adapters/state-adapter-limits.ts";
import { leaseExpiredError } from "../adapter-kit/stored-texts.ts";
import type { AcquiredJob, AcquireJobsParams } from "../adapters/state-adapter-params.ts";
import { withAttempt } from "./attempts.ts";
import { after } from "./instants.ts";
import type { Gates } from "./limits.ts";
import type { JobState, StoredJob } from "./stored-job.ts";
import type { Store } from "./store.ts";
import type { TypeQueue } from "./type-queue.ts";
import { requireJob, viewBlockers } from "./views.ts";

/** One call of `acquireJobs`. */
export interface Acquisition {
  readonly store: Store;
  readonly params: AcquireJobsParams;
  readonly gates: Gates;
  readonly jobs: AcquiredJob[];
  /** How many more jobs of types under limits, or under keys, could begin. */
  slots: number;
}

/** When to look at a type again. */
export interface Look {
  readonly at: number;
  readonly isLimited: boolean;
}

export interface WantedType {
  readonly queue: TypeQueue;
  readonly leaseMs: number;
  readonly limit: number;
  readonly batch?: BatchCondition | undefined;
}

/** Gives a job a lease. */
export const take = (
  { store, params, jobs }: Acquisition,
  { queue, leaseMs }: WantedType,
  stored: StoredJob,
  state: JobState,
): void => {
  queue.lastTurn = store.nextTurn();
  jobs.push(acquire(store, stored, state, params.workerId, leaseMs));
};

/** The first job that is due. */
export const nextDue = (
  store: Store,
  queue: TypeQueue,
  agingMs: number | null,
): StoredJob | undefined => {
  for (;;) {
    const stored = queue.peek(store.now, agingMs);
    const isLeased = (stored?.state?.leasedUntil ?? 0) > store.now;
    if (stored === undefined || !isLeased) return stored;
    // Its lease had expired before the clock was set back.
    store.leases.putBack(stored);
  }
};

const acquire = (
  store: Store,
  stored: StoredJob,
  state: JobState,
  workerId: string,
  leaseMs: number,
): AcquiredJob => {
  const reclaimedFrom = state.leasedBy;
  const expired = reclaimedFrom === null ? null : leaseExpiredError(reclaimedFrom);
  store.put(stored, {
    ...state,
    status: "running",
    attempt: state.attempt + 1,
    lastAttemptAt: store.now,
    lastAttemptError: expired ?? state.lastAttemptError,
    attempts:
      expired === null
        ? state.attempts
        : withAttempt(
            state,
            { outcome: "lease_expired", error: expired, nextAt: state.scheduledAt },
            store.now,
          ),
    leaseVersion: state.leaseVersion + 1,
    leasedBy: workerId,
    leasedUntil: after(store.now, leaseMs),
  });
  return {
    job: requireJob(stored),
    blockers: state.blockers.length === 0 ? [] : viewBlockers(stored, "transaction"),
    reclaimedFrom,
  };
};
