import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const listWorkers =
  (db: Database): NonNullable<OperatorStore["listWorkers"]> =>
  async () => {
    const found = await db.workers.find(outside, {}, { sort: { beatAt: -1, _id: 1 } });
    return found.map(({ _id, libraryVersion = null, ...worker }) => ({
      ...{ instanceId: _id, ...worker, libraryVersion },
    }));
  };
