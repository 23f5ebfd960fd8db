import type { LimitKeyPause, LimitKeyStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { clampMs } from "../job-document.ts";
import { lookAgain } from "../limit-keys/hold-keys.ts";
import { activePauseOf, keyIdOf, type LimitKeyDocument } from "../limit-keys/key-document.ts";
import type { Scope } from "../store.ts";

type Element = Parameters<LimitKeyStore["setLimitKeys"]>[0]["keys"][number];

export const setLimitKeys =
  (db: Database): LimitKeyStore["setLimitKeys"] =>
  async ({ keys }) => {
    if (keys.length === 0) return [];
    const paused = await db.transact(undefined, async (scope) => {
      const results: boolean[] = [];
      for (const element of keys) results.push(await setKey(db, scope, element));
      return results;
    });
    // Looks of other types are documents of their own.
    const limitNames = [...new Set(keys.map(({ limitName }) => limitName))];
    const ids = keys.map(keyIdOf);
    await lookAgain(db, { limitName: { $in: limitNames }, keyId: { $in: ids } });
    return paused;
  };

const setKey = async (
  db: Database,
  scope: Scope,
  { limitName, key, bounds, pause }: Element,
): Promise<boolean> => {
  const keyId = keyIdOf({ limitName, key });
  // Takes the hold away from an acquisition that has read the key as it was.
  const stored = await db.limitKeys.findOneAndUpdate(
    scope,
    { _id: keyId },
    [
      {
        $set: {
          ...{ limitName: { $literal: limitName }, key: { $literal: key } },
          ...{ keyId: { $literal: keyId }, setAt: "$$NOW" },
          ...{ heldBy: "$$REMOVE", heldUntil: "$$REMOVE", removeAt: "$$REMOVE" },
        },
      },
    ],
    { upsert: true },
  );
  const now = stored?.setAt ?? new Date(0);
  const before = stored === null ? null : activePauseOf(stored, now);
  const next = pause === undefined ? before : nextPause(pause, before, now);
  await db.limitKeys.updateMany(
    scope,
    { _id: keyId },
    {
      $set: { pause: next, ...(bounds !== undefined && { bounds }) },
    },
  );
  return before !== null;
};

const nextPause = (
  pause: LimitKeyPause | null,
  before: NonNullable<LimitKeyDocument["pause"]> | null,
  now: Date,
): LimitKeyDocument["pause"] => {
  if (pause === null) return null;
  const until = pause.forMs === null ? null : new Date(now.getTime() + clampMs(pause.forMs));
  const endOf = (end: Date | null): number => end?.getTime() ?? Infinity;
  const isEarlier = before !== null && endOf(until) <= endOf(before.until);
  return pause.extends && isEarlier ? before : { until, note: pause.note };
};
