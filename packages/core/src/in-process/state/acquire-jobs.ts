// Step 4 of the walk: due jobs are acquired. One write makes a job running and gives it a lease.
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import type { AcquiredJob, AcquireJobsParams } from "../../adapters/state-adapter-params.ts";
import { withAttempt } from "../attempts.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { after, remainingMs } from "../instants.ts";
import type { StoredJob, JobState } from "../stored-job.ts";
import type { Store } from "../store.ts";
import { requireJob, viewBlockers } from "../views.ts";
import { activePauses, pausedUntil } from "../pauses.ts";
import type { TypeQueue } from "../type-queue.ts";

export const acquireJobs =
  (database: Database): InProcessMethod<"acquireJobs"> =>
  async (params) =>
    params.types.length === 0
      ? { jobs: [], nextDueInMs: null }
      : database.write(undefined, "acquireJobs", (store) => {
          store.leases.noticeExpired(store.now);
          const active = activePauses(store);
          const wanted = params.types.flatMap((type) =>
            pausedUntil(active, type.typeName) > 0
              ? []
              : [{ ...type, queue: store.queueOf(type.typeName) }],
          );
          const resumesAt = params.types.map(({ typeName }) => pausedUntil(active, typeName));
          // The type with the oldest turn is first, so that a busy type cannot starve the others.
          wanted.sort((left, right) => left.queue.lastTurn - right.queue.lastTurn);
          const jobs: AcquiredJob[] = [];
          for (const type of wanted) acquireType(store, type, params, jobs);
          const storeTime = new Date(store.now);
          return { jobs, nextDueInMs: nextDueInMs(store, wanted, resumesAt), storeTime };
        });

interface WantedType {
  readonly queue: TypeQueue;
  readonly leaseMs: number;
  readonly limit: number;
}

const acquireType = (
  store: Store,
  { queue, leaseMs, limit }: WantedType,
  { workerId, limit: limitInAll }: AcquireJobsParams,
  acquired: AcquiredJob[],
): void => {
  const end = Math.min(acquired.length + limit, limitInAll);
  while (acquired.length < end) {
    const stored = nextDue(store, queue);
    if (stored?.state === undefined) return;
    queue.lastTurn = store.nextTurn();
    acquired.push(acquire(store, stored, stored.state, workerId, leaseMs));
  }
};

const nextDue = (store: Store, queue: TypeQueue): StoredJob | undefined => {
  for (;;) {
    const stored = queue.peek(store.now);
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

const nextDueInMs = (
  store: Store,
  types: readonly WantedType[],
  resumesAt: readonly number[],
): number | null => {
  let earliest = Math.min(Infinity, ...resumesAt.filter((time) => time > 0));
  for (const { queue } of types)
    earliest = Math.min(earliest, queue.earliest(store.now) ?? Infinity);
  return earliest === Infinity ? null : remainingMs(earliest, store.now);
};
