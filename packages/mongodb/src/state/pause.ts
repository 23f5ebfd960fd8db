import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { afterNow } from "../expressions.ts";
import { pausesDocumentId } from "../pauses.ts";
import { outside } from "../store.ts";

export const pause =
  (db: Database): StateAdapter<object, object, string>["pause"] =>
  async ({ targets, forMs, note }) => {
    if (targets.length === 0) return;
    const names = [...new Set(targets.map(({ typeName }) => typeName))];
    const paused = names.map((typeName) => ({
      typeName: { $literal: typeName },
      pausedAt: "$$NOW",
      until: forMs === null ? null : afterNow(forMs),
      note: { $literal: note },
    }));
    await db.pauses.findOneAndUpdate(
      outside,
      { _id: pausesDocumentId },
      [{ $set: { pauses: { $concatArrays: [pausesWithout(names), paused] } } }],
      { upsert: true },
    );
  };

/** The stored pauses of other targets, as an expression. */
export const pausesWithout = (names: readonly (string | null)[]): object => ({
  $filter: {
    input: { $ifNull: ["$pauses", []] },
    cond: { $not: [{ $in: ["$$this.typeName", { $literal: names }] }] },
  },
});
