// Step 5 of the walk: a worker renews the leases of its running jobs.
import type { LeaseCheck, RenewLeasesParams } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { after } from "../instants.ts";
import { isBounded } from "../limits.ts";
import { isHeld, whyLost } from "../stored-job.ts";
import type { Store } from "../store.ts";

export const renewLeases =
  (database: Database): InProcessMethod<"renewLeases"> =>
  async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write(undefined, "renewLeases", (store) =>
          leases.map((lease) => renew(store, lease)),
        );

const renew = (
  store: Store,
  { jobId, leaseVersion, leaseMs }: RenewLeasesParams["leases"][number],
): LeaseCheck => {
  const stored = store.byId.get(jobId);
  const state = stored?.state;
  if (stored === undefined || !isHeld(state, leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  const needsPermit = state.limitKey !== null || isBounded(store.limits.get(stored.typeName));
  if ((state.leasedUntil ?? 0) <= store.now && needsPermit) {
    return { kind: "lost", reason: "lease_expired" };
  }
  store.put(stored, { ...state, leasedUntil: after(store.now, leaseMs) });
  return { kind: "held" };
};
