import type { StateSummary } from "../../adapters/state-adapter-queries.ts";
import type { Database, InProcessMethod } from "../database.ts";
import type { StoredJob } from "../stored-job.ts";
import type { Store } from "../store.ts";
import type { TypeQueue } from "../type-queue.ts";

export const summarize =
  (database: Database): InProcessMethod<"summarize"> =>
  async ({ context, runningLongMs }) =>
    database.readIndexes(context, "summarize", (store) => summary(store, runningLongMs));

const countedStatuses = ["blocked", "pending", "running", "failed"] as const;

const summary = (store: Store, runningLongMs: number): StateSummary => {
  // Jobs with an expired lease are among the jobs to acquire, but they are not pending.
  store.leases.putBackAll();
  const queues = [...store.queues.values()].sort(byTypeName);
  const oldestReady = queues.flatMap((queue) => {
    const since = queue.readySince(store.now);
    return since === undefined
      ? []
      : // It lies ahead if the clock was set back since.
        [
          {
            typeName: queue.typeName,
            ageMs: Math.max(0, store.now - since),
            dueCount: queue.dueCount(store.now),
          },
        ];
  });
  store.leases.noticeExpired(store.now);
  return {
    counts: queues.flatMap(({ typeName, counts }) =>
      countedStatuses
        .map((status) => ({ typeName, status, count: counts[status] }))
        .filter(({ count }) => count > 0),
    ),
    oldestReady,
    blockedByFailedCount: blockedByFailed(store).size,
    expiredLeaseCount: store.leases.expiredCount,
    runningLongCount: runningLongCount(store, runningLongMs),
  };
};

const blockedByFailed = (store: Store): ReadonlySet<StoredJob> => {
  const blocked = new Set<StoredJob>();
  for (const { first } of store.failedJobs) {
    for (const stored of first.dependants ?? []) {
      if (stored.state?.status === "blocked") blocked.add(stored);
    }
  }
  return blocked;
};

const runningLongCount = (store: Store, runningLongMs: number): number => {
  let count = 0;
  for (const { state } of store.leases.running()) {
    if ((state?.lastAttemptAt ?? store.now) < store.now - runningLongMs) count++;
  }
  return count;
};

const byTypeName = (left: TypeQueue, right: TypeQueue): number =>
  left.typeName < right.typeName ? -1 : 1;
