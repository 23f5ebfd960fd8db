// An acquisition holds the keys that it looks at. It does not wait for a key that another one holds. The hold ends with the
// transaction that acquires, or with its time if the process crashes. The transaction writes the documents of its keys, so an
// acquisition that was suspended for longer than its hold stores nothing.
import type { LimitKeyReference } from "queuert/internal";
import type { Database } from "../database.ts";
import { afterNow } from "../job-document.ts";
import { outside } from "../store.ts";
import { keyIdOf, referenceOf } from "./key-document.ts";

/** Far longer than an acquisition takes. */
export const holdMs = 5_000;

const release = { heldBy: "$$REMOVE", heldUntil: "$$REMOVE" } as const;

/** Those of the keys that this call holds now. */
export const holdKeys = async (
  db: Database,
  stamp: string,
  keyIds: readonly string[],
): Promise<readonly string[]> => {
  const isFree = {
    $or: [{ heldBy: { $exists: false } }, { $expr: { $lte: ["$heldUntil", "$$NOW"] } }],
  };
  const hold = { heldBy: stamp, heldUntil: afterNow(holdMs), removeAt: "$$REMOVE" };
  const held = await db.limitKeys.updateMany(
    outside,
    { _id: { $in: keyIds }, ...isFree },
    [{ $set: hold }],
    { unacknowledgedByMajority: true },
  );
  if (held === keyIds.length) return keyIds;
  const found = await readHolders(db, keyIds);
  const missing = keyIds.filter((keyId) => !found.has(keyId));
  if (missing.length > 0) {
    await createKeys(db, missing, { heldBy: stamp, heldUntil: afterNow(holdMs) });
    for (const [keyId, holder] of await readHolders(db, missing)) found.set(keyId, holder);
  }
  return keyIds.filter((keyId) => found.get(keyId) === stamp);
};

const readHolders = async (
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, string | undefined>> => {
  const found = await db.limitKeys.find(
    outside,
    { _id: { $in: keyIds } },
    { projection: { heldBy: 1 }, candidates: true },
  );
  return new Map(found.map(({ _id, heldBy }) => [_id, heldBy]));
};

const isNew = { $eq: [{ $type: "$keyId" }, "missing"] };

/** Documents that exist stay as they are. */
const createKeys = (db: Database, keyIds: readonly string[], fields: object): Promise<number> =>
  db.limitKeys.bulkUpdate(
    outside,
    keyIds.map((keyId) => {
      const { limitName, key }: LimitKeyReference = referenceOf(keyId);
      const own = { limitName: { $literal: limitName }, key: { $literal: key } };
      const created = { ...own, keyId: { $literal: keyIdOf({ limitName, key }) }, ...fields };
      const onInsert = Object.entries(created).map(([name, value]) => [
        name,
        { $cond: [isNew, value, `$${name}`] },
      ]);
      const update = [{ $set: Object.fromEntries(onInsert) }];
      return { updateOne: { filter: { _id: keyId }, update, upsert: true } };
    }),
    { unacknowledgedByMajority: true },
  );

/** If another transaction has jobs of a key, no acquisition looks at it for this time, nor conflicts with it. */
export const busyKeyMs = 50;

/** Keys whose looks were not decided are free after a time. */
export const leaveKeys = async (
  db: Database,
  stamp: string,
  keyIds: readonly string[],
  afterMs: number,
): Promise<void> => {
  if (keyIds.length === 0) return;
  await db.limitKeys.updateMany(
    outside,
    { _id: { $in: keyIds }, heldBy: stamp },
    [{ $set: { heldUntil: afterNow(afterMs) } }],
    { unacknowledgedByMajority: true },
  );
};

/**
 * The bounds or the pause of keys have changed: those that wait are looked at, and acquisitions that hold them begin anew. Call it
 * after the change is visible.
 */
export const lookAgain = (db: Database, keys: object): Promise<number> =>
  db.limitKeys.updateMany(outside, keys, [
    {
      $set: {
        ...release,
        lookAt: { $cond: [{ $eq: [{ $type: "$lookAt" }, "missing"] }, "$$REMOVE", "$$NOW"] },
      },
    },
  ]);
