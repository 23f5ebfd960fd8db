import { tokensAt } from "../../adapter-kit/limit-rules.ts";
import type { StateLimitState } from "../../adapters/state-adapter-limits.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { Permits } from "../limits.ts";

export const getLimits =
  (database: Database): InProcessMethod<"getLimits"> =>
  async ({ names }) =>
    database.readIndexes(undefined, "getLimits", (store) => {
      const permits = new Permits(store);
      return [...store.limits]
        .filter(([name]) => names === null || names.includes(name))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, { backAtUs, updatedAt, ...limit }]): StateLimitState => ({
          name,
          ...limit,
          updatedAt: new Date(updatedAt),
          running: permits.ofLimit(name),
          tokens: limit.rate === null ? null : tokensAt(limit.rate, backAtUs, store.now * 1_000),
        }));
    });
