import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { afterNow } from "../job-document.ts";
import { outside } from "../store.ts";

export const deleteScheduleTicks =
  (db: Database): StateAdapter<object, object, string>["deleteScheduleTicks"] =>
  async ({ firedForMs, limit }) => {
    if (limit <= 0) return 0;
    const old = await db.ticks.find(
      outside,
      { $expr: { $lt: ["$firedAt", afterNow(-firedForMs)] } },
      { projection: { _id: 1 }, sort: { firedAt: 1 }, limit, candidates: true },
    );
    if (old.length === 0) return 0;
    return db.ticks.deleteMany(outside, { _id: { $in: old.map(({ _id }) => _id) } });
  };
