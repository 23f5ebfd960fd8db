import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listLimitKeys =
  (database: Database): InProcessOperatorMethod<"listLimitKeys"> =>
  async ({ limitName, fromKey, limit }) =>
    database.readIndexes(undefined, "listLimitKeys", (store) => {
      const lines = [...store.queues.values()].flatMap(({ keys }) => [...keys.values()]);
      const known = [
        ...store.limitKeys.values(),
        ...lines.map(({ limitKey }) => limitKey),
        ...[...store.leases.running()].map(({ state }) => state?.limitKey),
      ];
      const names = known.flatMap((each) => (each?.limitName === limitName ? each.key : []));
      return [...new Set(names)]
        .filter((key) => fromKey === null || key >= fromKey)
        .toSorted()
        .slice(0, limit);
    });
