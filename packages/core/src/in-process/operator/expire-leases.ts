import type { Database, InProcessOperatorMethod } from "../database.ts";

export const expireLeases =
  (database: Database): InProcessOperatorMethod<"expireLeases"> =>
  async ({ workerId, acquiredBefore }) =>
    database.write(undefined, "expireLeases", (store) => {
      let count = 0;
      for (const stored of [...store.leases.running()]) {
        const { state } = stored;
        const isOld = (state?.lastAttemptAt ?? Infinity) < acquiredBefore.getTime();
        if (state?.leasedBy !== workerId || !isOld) continue;
        if ((state.leasedUntil ?? 0) <= store.now) continue;
        store.put(stored, { ...state, leasedUntil: store.now });
        count++;
      }
      return count;
    });
