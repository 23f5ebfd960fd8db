import { type StateAdapter, type StateLimitState, tokensAt } from "queuert/internal";
import type { Database } from "../database.ts";
import { createCountPermits, createReadLimits } from "../steps/read-limits.ts";

export const getLimits = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getLimits"] => {
  const readLimits = createReadLimits(database.names);
  const countPermits = createCountPermits(database.names);

  return async ({ names }) =>
    database.read(undefined, (session) => {
      const now = session.now();
      return readLimits(session, "all")
        .filter(({ name }) => names === null || names.includes(name))
        .map(({ backAtUs, updatedAt, ...limit }): StateLimitState => ({
          ...limit,
          updatedAt: new Date(updatedAt),
          running: countPermits(session, limit.name, now),
          tokens: limit.rate === null ? null : tokensAt(limit.rate, backAtUs, now * 1_000),
        }));
    });
};
