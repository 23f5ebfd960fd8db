import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { lookAgain } from "../limit-keys/hold-keys.ts";
import { outside } from "../store.ts";

export const deleteLimits =
  (db: Database): StateAdapter<object, object, string>["deleteLimits"] =>
  async ({ names }) => {
    if (names.length === 0) return [];
    // Before the limits: after a crash between the two, the call is made again. The documents stay, because their turns do.
    await db.limitKeys.updateMany(
      outside,
      { limitName: { $in: names } },
      { $unset: { bounds: "", pause: "", backAtUs: "" } },
    );
    const existed = await db.transact(undefined, async (scope) => {
      const found = await db.limits.find(scope, { _id: { $in: names } });
      await db.limits.deleteMany(scope, { _id: { $in: names } });
      return new Set(found.map(({ _id }) => _id));
    });
    // After the commit: an acquisition that has read the bounds of before holds its keys, or has let them rest.
    await lookAgain(db, { limitName: { $in: names } });
    // A name that is given twice was deleted once.
    return names.map((name) => existed.delete(name));
  };
