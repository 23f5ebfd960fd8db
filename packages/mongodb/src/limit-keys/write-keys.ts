// The keys after their turns, in the transaction of the plan. An acquisition that has lost its hold stores nothing.
import type { Database } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import type { Scope } from "../store.ts";
import { lookIdOf } from "./key-document.ts";
import type { KeysLook } from "./look-at-keys.ts";
import type { PlannedKey } from "./planned-key.ts";

export const writeKeys = async (
  db: Database,
  scope: Scope,
  { type, stamp, turns }: KeysLook,
  keys: readonly PlannedKey[],
): Promise<void> => {
  const { typeName } = type;
  const isOwnLook = ({ held }: PlannedKey): boolean => held.document.limitName === typeName;
  const updates = new Map<string, { readonly fields: object; readonly keys: PlannedKey[] }>();
  for (const key of keys) {
    const fields = toFields(key, isOwnLook(key) ? typeName : null);
    const name = JSON.stringify(fields);
    const same = updates.get(name) ?? { fields, keys: [] };
    same.keys.push(key);
    updates.set(name, same);
  }
  for (const { fields, keys: same } of updates.values()) {
    const ids = same.map(({ held }) => held.document._id);
    const filter = { _id: { $in: ids }, heldBy: stamp };
    const update = [{ $set: { ...fields, ...("lookAt" in fields && placeOf(same)) } }];
    const count = await db.limitKeys.updateMany(scope, filter, update);
    if (count !== ids.length) throw new MongoTransactionAbortedError("write_conflict");
  }
  const looked = keys.filter(({ lookAt }) => lookAt !== "kept");
  const lookIdsOf = new Map(turns.map(({ keyId, lookIds }) => [keyId, lookIds]));
  const others = looked.filter((key) => !isOwnLook(key));
  const ended = [
    ...looked.flatMap(({ held }) => lookIdsOf.get(held.document._id) ?? []),
    ...others.map(({ held }) => lookIdOf(held.document._id, typeName)),
  ];
  if (ended.length > 0) await db.limitKeys.deleteMany(scope, { _id: { $in: ended } });
  await insertLooks(db, scope, typeName, others);
};

const release = { heldBy: "$$REMOVE", heldUntil: "$$REMOVE" } as const;

/** How long the document of a key is kept that nothing is known of. */
const idleMs = 3_600_000;

/** One update writes many keys, and each has a place of its own. */
const placeOf = (keys: readonly PlannedKey[]): object => {
  const ids = keys.map(({ held }) => held.document._id);
  const places = keys.map(({ turnPlace }) => turnPlace);
  const index = { $indexOfArray: [{ $literal: ids }, "$_id"] };
  return { turnPlace: { $arrayElemAt: [{ $literal: places }, index] } };
};

const toFields = (
  { held, lookAt, turnUsed, keptBack, backAtUs }: PlannedKey,
  lookType: string | null,
) => {
  const { bounds = null, pause = null, backAtUs: before = null } = held.document;
  const tokensBackAtMs = Math.ceil((backAtUs ?? before ?? 0) / 1_000);
  const isIdle = lookAt === null && bounds === null && pause === null;
  const tokensAt = new Date(tokensBackAtMs);
  return {
    ...release,
    ...(backAtUs !== undefined && { backAtUs }),
    removeAt: isIdle ? { $add: [{ $max: ["$$NOW", tokensAt] }, idleMs] } : "$$REMOVE",
    ...(lookType !== null &&
      lookAt !== "kept" && {
        lookType: lookAt === null ? "$$REMOVE" : { $literal: lookType },
        lookAt: lookAt ?? "$$REMOVE",
        turnUsed: turnUsed === 0 ? "$$REMOVE" : turnUsed,
        keptBack: lookAt === null ? "$$REMOVE" : keptBack,
      }),
  };
};

/** The looks of a type that shares a limit of another name are documents of their own. */
const insertLooks = async (
  db: Database,
  scope: Scope,
  lookType: string,
  keys: readonly PlannedKey[],
): Promise<void> => {
  const looks = keys.flatMap(({ held, lookAt, turnPlace, turnUsed, keptBack }) => {
    const { _id: keyId, limitName } = held.document;
    if (lookAt === null || lookAt === "kept") return [];
    const _id = lookIdOf(keyId, lookType);
    const turn = { lookAt, turnPlace, ...(turnUsed > 0 && { turnUsed }) };
    return [{ _id, limitName, keyId, lookType, ...turn, keptBack }];
  });
  if (looks.length === 0) return;
  await duplicateAsConflict(() => db.limitKeys.insertMany(scope, looks));
};
