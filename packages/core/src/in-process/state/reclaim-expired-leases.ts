// Jobs of a lost worker become pending again, at their old place.
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import type { ReclaimedJob } from "../../adapters/state-adapter-params.ts";
import { withAttempt } from "../attempts.ts";
import type { Database, InProcessMethod } from "../database.ts";
import type { Store } from "../store.ts";
import { toReference } from "../views.ts";

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
    const stored = store.leases.peekExpired();
    const state = stored?.state;
    if (stored === undefined || state === undefined) break;
    // Not expired: the clock was set back.
    if ((state.leasedUntil ?? 0) > store.now) break;
    const { leasedBy, leaseVersion } = state;
    if (leasedBy === null) break;
    reclaimed.push({ ...toReference(stored), leasedBy, leaseVersion });
    const error = leaseExpiredError(leasedBy);
    const end = { outcome: "lease_expired", error, nextAt: state.scheduledAt } as const;
    store.put(stored, {
      ...state,
      status: "pending",
      lastAttemptError: error,
      attempts: withAttempt(state, end, store.now),
      leasedBy: null,
      leasedUntil: null,
    });
  }
  return reclaimed;
};
