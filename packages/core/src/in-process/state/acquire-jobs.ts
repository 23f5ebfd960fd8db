// Step 4 of the walk: due jobs are taken, and leased by the same write that makes them running.
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import type { AcquiredJob, AcquireJobsParams } from "../../adapters/state-adapter-params.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { after, remainingMs } from "../instants.ts";
import type { JobCell, JobState } from "../job-cell.ts";
import type { Store } from "../store.ts";
import { requireJob, viewBlockers } from "../to-state-job.ts";
import type { TypeQueue } from "../type-queue.ts";

export const acquireJobs =
  (database: Database): InProcessMethod<"acquireJobs"> =>
  async (params) =>
    params.types.length === 0
      ? { jobs: [], nextDueInMs: null }
      : database.write(undefined, "acquireJobs", (store) => {
          store.leases.noticeExpired(store.now);
          const wanted = params.types.map((type) => ({
            ...type,
            queue: store.queueOf(type.typeName),
          }));
          // Who has not had a turn for longest goes first: a busy type cannot keep the others waiting for ever.
          wanted.sort((left, right) => left.queue.lastTurn - right.queue.lastTurn);
          const jobs: AcquiredJob[] = [];
          for (const type of wanted) take(store, type, params, jobs);
          return { jobs, nextDueInMs: nextDueInMs(store, wanted) };
        });

interface WantedType {
  readonly queue: TypeQueue;
  readonly leaseMs: number;
  readonly limit: number;
}

const take = (
  store: Store,
  { queue, leaseMs, limit }: WantedType,
  { workerId, limit: limitInAll }: AcquireJobsParams,
  taken: AcquiredJob[],
): void => {
  const end = Math.min(taken.length + limit, limitInAll);
  while (taken.length < end) {
    const cell = takeable(store, queue);
    if (cell?.state === undefined) return;
    queue.lastTurn = store.nextTurn();
    taken.push(acquire(store, cell, cell.state, workerId, leaseMs));
  }
};

const takeable = (store: Store, queue: TypeQueue): JobCell | undefined => {
  for (;;) {
    const cell = queue.peek(store.now);
    const isLeased = (cell?.state?.leasedUntil ?? 0) > store.now;
    if (cell === undefined || !isLeased) return cell;
    // Its lease had expired, and the clock has been set back since.
    store.leases.putBack(cell);
  }
};

const acquire = (
  store: Store,
  cell: JobCell,
  state: JobState,
  workerId: string,
  leaseMs: number,
): AcquiredJob => {
  const reclaimedFrom = state.leasedBy;
  store.put(cell, {
    ...state,
    status: "running",
    attempt: state.attempt + 1,
    lastAttemptAt: store.now,
    lastAttemptError:
      reclaimedFrom === null ? state.lastAttemptError : leaseExpiredError(reclaimedFrom),
    leaseVersion: state.leaseVersion + 1,
    leasedBy: workerId,
    leasedUntil: after(store.now, leaseMs),
  });
  return {
    job: requireJob(cell),
    blockers: state.blockers.length === 0 ? [] : viewBlockers(cell, "transaction"),
    reclaimedFrom,
  };
};

const nextDueInMs = (store: Store, types: readonly WantedType[]): number | null => {
  let earliest = Infinity;
  for (const { queue } of types)
    earliest = Math.min(earliest, queue.earliest(store.now) ?? Infinity);
  return earliest === Infinity ? null : remainingMs(earliest, store.now);
};
