import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { afterNow } from "../job-document.ts";
import { lookAgain } from "../limit-keys/hold-keys.ts";
import { pausesDocumentId } from "../pauses.ts";
import { outside } from "../store.ts";

export const pause =
  (db: Database): StateAdapter<object, object, string>["pause"] =>
  async ({ targets, forMs, note, extends: isExtension = false }) => {
    if (targets.length === 0) return;
    const names = [...new Set(targets.map(({ typeName }) => typeName))];
    const paused = names.map((typeName) => ({
      typeName: { $literal: typeName },
      pausedAt: "$$NOW",
      until: forMs === null ? null : afterNow(forMs),
      note: { $literal: note },
    }));
    const next = isExtension ? paused.map(unlessLater) : paused;
    await db.pauses.findOneAndUpdate(
      outside,
      { _id: pausesDocumentId },
      [{ $set: { pauses: { $concatArrays: [pausesWithout(names), next] } } }],
      { upsert: true },
    );
    await lookAgainUnder(db, names);
  };

/** The stored pause of the same target, if it does not end before. */
const unlessLater = (pause: {
  readonly typeName: object;
  readonly until: object | null;
}): object => {
  const ofTarget = { $eq: ["$$this.typeName", pause.typeName] };
  // No end is later than every end.
  const isLater =
    pause.until === null
      ? { $eq: ["$$this.until", null] }
      : { $or: [{ $eq: ["$$this.until", null] }, { $gte: ["$$this.until", pause.until] }] };
  const later = {
    $filter: { input: { $ifNull: ["$pauses", []] }, cond: { $and: [ofTarget, isLater] } },
  };
  return { $ifNull: [{ $first: later }, pause] };
};

/** After the change is visible: keys of these limits are looked at again. */
export const lookAgainUnder = async (
  db: Database,
  names: readonly (string | null)[],
): Promise<void> => {
  const limitNames = names.filter((name) => name !== null);
  if (limitNames.length > 0) await lookAgain(db, { limitName: { $in: limitNames } });
};

/** The stored pauses of other targets, as an expression. */
export const pausesWithout = (names: readonly (string | null)[]): object => ({
  $filter: {
    input: { $ifNull: ["$pauses", []] },
    cond: { $not: [{ $in: ["$$this.typeName", { $literal: names }] }] },
  },
});
