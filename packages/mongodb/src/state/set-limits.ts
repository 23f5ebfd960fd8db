import { isDeclarationNews, type StateAdapter, unbounded } from "queuert/internal";
import type { Database } from "../database.ts";
import { lookAgain } from "../limit-keys/hold-keys.ts";
import type { Scope } from "../store.ts";

type SetLimits = StateAdapter<object, object, string>["setLimits"];
type NewLimit = Parameters<SetLimits>[0]["limits"][number];

export const setLimits =
  (db: Database): SetLimits =>
  async ({ limits }) => {
    if (limits.length === 0) return [];
    const written = await db.transact(undefined, async (scope) => {
      const results: boolean[] = [];
      for (const limit of limits) results.push(await setLimit(db, scope, limit));
      return results;
    });
    // After the commit: an acquisition that has read the bounds of before holds its keys, or has let them rest.
    const changed = limits.flatMap(({ name }, index) => (written[index] ? [name] : []));
    await lookAgain(db, { limitName: { $in: changed } });
    return written;
  };

const setLimit = async (db: Database, scope: Scope, limit: NewLimit): Promise<boolean> => {
  const { name, concurrency, rate, perKey = unbounded, agingMs = null } = limit;
  const [stored] = await db.limits.find(scope, { _id: name });
  const before = stored?.declaration ?? null;
  if (!isDeclarationNews(limit.declaration, before)) return false;
  const declaration = limit.declaration ?? before;
  const isBounded = concurrency !== null || rate !== null;
  await db.limits.findOneAndUpdate(
    scope,
    { _id: name },
    [
      {
        $set: {
          ...{ concurrency, isBounded, agingMs },
          concernsType: isBounded || agingMs !== null,
          rate: { $literal: rate },
          perKey: { $literal: perKey },
          declaration: { $literal: declaration },
          updatedAt: "$$NOW",
          backAtUs: { $ifNull: ["$backAtUs", null] },
        },
      },
    ],
    { upsert: true },
  );
  return true;
};
