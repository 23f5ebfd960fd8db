// A worker vanished: its jobs wait again, at their old place.
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import type { ReclaimedJob } from "../../adapters/state-adapter-params.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import type { Store } from "../store.ts";
import { toReference } from "../to-state-job.ts";

export const reclaimExpiredLeases =
  (database: Database): InProcessMethod<"reclaimExpiredLeases"> =>
  async ({ limit }) =>
    limit <= 0
      ? []
      : database.write(undefined, "reclaimExpiredLeases", (store) => reclaim(store, limit));

const reclaim = (store: Store, limit: number): readonly ReclaimedJob[] => {
  store.leases.noticeExpired(store.now);
  const reclaimed: ReclaimedJob[] = [];
  while (reclaimed.length < limit) {
    const cell = store.leases.peekExpired();
    const state = cell?.state;
    if (cell === undefined || state === undefined) break;
    // Known to have expired, unless the clock has been set back since.
    if ((state.leasedUntil ?? 0) > store.now) break;
    const { leasedBy, leaseVersion } = state;
    if (leasedBy === null) break;
    reclaimed.push({ ...toReference(cell), leasedBy, leaseVersion });
    store.put(cell, {
      ...state,
      status: "pending",
      lastAttemptError: leaseExpiredError(leasedBy),
      leasedBy: null,
      leasedUntil: null,
    });
  }
  return reclaimed;
};
