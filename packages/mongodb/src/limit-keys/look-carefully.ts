// A look at one key after a conflict: another transaction may have some of its jobs.
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import { isDue } from "../job-document.ts";
import { findFreeJobs } from "../free-jobs.ts";
import { orderOfKey } from "./key-probes.ts";
import { type KeysLook, type KeysTurn, lookAtKeys } from "./look-at-keys.ts";

/** Another transaction may have the first job of a key: if it meets a conflict again, others are tried, one at random. */
const carefulTries = 4;

export const lookCarefully = async (
  db: Database,
  look: Omit<KeysLook, "isCareful" | "isRandom" | "free">,
): Promise<KeysTurn | null> => {
  for (let tries = 0; tries < carefulTries; tries++) {
    const free = await freeOfBatch(db, look);
    if (free?.size === 0) return null;
    const taken = await unlessConflict(() =>
      lookAtKeys(db, { ...look, isCareful: true, isRandom: tries > 0, free }),
    );
    if (taken !== null) return taken;
    await sleep(tries * 5 * Math.random());
  }
  return null;
};

/** The jobs of a batch are not tried one by one. Null: it is none. */
const freeOfBatch = async (
  db: Database,
  { type: { typeName, batch }, turns: [turn], room }: Pick<KeysLook, "type" | "turns" | "room">,
): Promise<ReadonlySet<string> | null> =>
  batch?.perKey === true && turn !== undefined
    ? findFreeJobs(db, { typeName, limitKeyId: turn.keyId, ...isDue }, orderOfKey, room + lockedMax)
    : null;

/** Of the first jobs of a batch, so many may be locked. */
const lockedMax = 20;

/** Null: the transaction met another one. */
export const unlessConflict = async <T>(run: () => Promise<T>): Promise<T | null> => {
  try {
    return await run();
  } catch (error) {
    const isConflict =
      error instanceof MongoTransactionAbortedError && error.reason === "write_conflict";
    if (!isConflict) throw error;
    return null;
  }
};
