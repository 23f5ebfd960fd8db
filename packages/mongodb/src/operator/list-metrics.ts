import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { within } from "../store.ts";

export const listMetrics =
  (db: Database): NonNullable<OperatorStore["listMetrics"]> =>
  async ({ stepMs, from, to, typeNames, timeoutMs }) => {
    const filter = {
      ...{ stepMs, at: { $gte: from, $lt: to } },
      ...(typeNames !== null && { typeName: { $in: typeNames } }),
    };
    const found = await db.metrics.find(within(timeoutMs), filter, {
      sort: { at: 1, typeName: 1 },
    });
    return found.map(({ typeName, at, counts }) => ({ typeName, at, counts }));
  };
