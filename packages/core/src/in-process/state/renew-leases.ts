// Step 5 of the walk: a worker says that it is still at it.
import type { LeaseCheck, RenewLeasesParams } from "../../adapters/state-adapter-params.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { after } from "../instants.ts";
import { isHeld, whyLost } from "../lease-check.ts";
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
  const cell = store.cells.get(jobId);
  const state = cell?.state;
  if (cell === undefined || !isHeld(state, leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  const leasedUntil = after(store.now, leaseMs);
  if (leasedUntil > (state.leasedUntil ?? 0)) store.put(cell, { ...state, leasedUntil });
  return { kind: "held" };
};
