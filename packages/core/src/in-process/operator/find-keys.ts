import type { JobKey } from "../../adapters/operator-reads.ts";
import { keyHoldersMax } from "../../adapters/operator-store.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";
import { keyId } from "../key-id.ts";
import type { Store } from "../store.ts";
import type { StoredJob } from "../stored-job.ts";

export const findKeys =
  (database: Database): InProcessOperatorMethod<"findKeys"> =>
  async ({ ids }) =>
    database.readIndexes(undefined, "findKeys", (store) =>
      ids.map((id) => keyOf(store, store.byId.get(id))),
    );

const keyOf = (store: Store, stored: StoredJob | undefined): JobKey | undefined => {
  const limitKey = stored?.state?.limitKey ?? null;
  if (limitKey === null) return undefined;
  const own = keyId(limitKey);
  const holders = [...store.leases.running()].filter(
    ({ state }) =>
      state !== undefined &&
      state.limitKey !== null &&
      (state.leasedUntil ?? 0) > store.now &&
      keyId(state.limitKey) === own,
  );
  return { ...limitKey, holders: holders.slice(0, keyHoldersMax).map(({ id }) => id) };
};
