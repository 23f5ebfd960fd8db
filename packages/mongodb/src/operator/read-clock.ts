import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

const now = [{ $limit: 1 }, { $project: { _id: 0, now: "$$NOW" } }];

export const readClock =
  (db: Database): NonNullable<OperatorStore["readClock"]> =>
  async () => {
    const [found] = await db.stores.aggregate<{ now: Date }>(outside, now);
    // A new store has no documents yet. The counter of ordinals is made with the time.
    return found?.now ?? (await db.ordinals.take(1)).now;
  };
