import { type StateAdapter, type StateLimitState, tokensAt } from "queuert/internal";
import type { Database } from "../database.ts";
import { countPermits, type LimitDocument } from "../limit-document.ts";
import { outside } from "../store.ts";

export const getLimits =
  (db: Database): StateAdapter<object, object, string>["getLimits"] =>
  async ({ names }) => {
    const found = await db.limits.aggregate<LimitDocument & { readonly now: Date }>(outside, [
      ...(names === null ? [] : [{ $match: { _id: { $in: names } } }]),
      { $sort: { _id: 1 } },
      { $set: { now: "$$NOW" } },
    ]);
    return Promise.all(
      found.map(async (one): Promise<StateLimitState> => {
        const { _id: name, concurrency, rate, declaration, updatedAt, backAtUs, now } = one;
        const { perKey, agingMs } = one;
        return {
          ...{ name, concurrency, rate, perKey, agingMs, declaration, updatedAt },
          running: await countPermits(db, outside, name, now),
          tokens: rate === null ? null : tokensAt(rate, backAtUs, now.getTime() * 1_000),
        };
      }),
    );
  };
