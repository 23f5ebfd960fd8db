import { type JobKey, keyHoldersMax, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { referenceOf } from "../limit-keys/key-document.ts";
import { anyTurn } from "../limit-keys/read-turns.ts";
import { outside } from "../store.ts";

export const findKeys =
  (db: Database): NonNullable<OperatorStore["findKeys"]> =>
  async ({ ids }) => {
    if (ids.length === 0) return [];
    const found = await db.jobs.find(
      outside,
      { _id: { $in: ids }, limitKeyId: { $exists: true } },
      { projection: { limitKeyId: 1, startCost: 1 } },
    );
    const holders = new Map<string, readonly string[]>();
    const keys = new Map<string, JobKey>();
    for (const { _id, limitKeyId, startCost = 1 } of found) {
      if (limitKeyId === undefined) continue;
      const holding = holders.get(limitKeyId) ?? (await holdersOf(db, limitKeyId));
      holders.set(limitKeyId, holding);
      keys.set(_id, { ...referenceOf(limitKeyId), cost: startCost, holders: holding });
    }
    return ids.map((id) => keys.get(id));
  };

const holdersOf = async ({ jobs }: Database, limitKeyId: string): Promise<readonly string[]> => {
  const isHeld = { $expr: { $gt: ["$leasedUntil", "$$NOW"] } };
  const held = await jobs.find(
    outside,
    { limitKeyId, status: "running", ...anyTurn, ...isHeld },
    { projection: { _id: 1 }, limit: keyHoldersMax },
  );
  return held.map(({ _id }) => _id);
};
