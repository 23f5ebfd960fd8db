// Step 4 of the page, continued: types stand under limits.
import { isDeclarationNews, limitRoom, spendTokens, tokensAt } from "queuert/internal";
import type { LimitRoom } from "queuert/internal";
import type { Data, Database, LimitRow, Method } from "./snapshot.ts";

export const setLimits =
  (database: Database): Method<"setLimits"> =>
  async ({ limits }) =>
    database.write(undefined, (data, now) =>
      limits.map(({ name, concurrency, rate, declaration }) => {
        const stored = data.limits[name];
        if (!isDeclarationNews(declaration, stored?.declaration ?? null)) return false;
        data.limits[name] = {
          ...{ name, concurrency, rate },
          declaration: declaration ?? stored?.declaration ?? null,
          updatedAt: now,
          backAtUs: stored?.backAtUs ?? null,
        };
        return true;
      }),
    );

export const deleteLimits =
  (database: Database): Method<"deleteLimits"> =>
  async ({ names }) =>
    database.write(undefined, (data) =>
      names.map((name) => {
        const existed = data.limits[name] !== undefined;
        delete data.limits[name];
        return existed;
      }),
    );

export const getLimits =
  (database: Database): Method<"getLimits"> =>
  async ({ names }) =>
    database.read(undefined, (data, now) =>
      Object.values(data.limits)
        .filter(({ name }) => names === null || names.includes(name))
        .sort((left, right) => (left.name < right.name ? -1 : 1))
        .map(({ backAtUs, ...limit }) => ({
          ...limit,
          updatedAt: new Date(limit.updatedAt),
          running: permitsOf(data, limit.name, now),
          tokens: limit.rate === null ? null : tokensAt(limit.rate, backAtUs, now * 1_000),
        })),
    );

const permitsOf = (data: Data, typeName: string, now: number): number =>
  Object.values(data.rows).filter(
    (row) => row.typeName === typeName && row.status === "running" && (row.leasedUntil ?? 0) > now,
  ).length;

/** The limit of a type that has bounds. */
export const boundsOf = (data: Data, typeName: string): LimitRow | undefined => {
  const limit = data.limits[typeName];
  return limit?.concurrency === null && limit.rate === null ? undefined : limit;
};

export const roomOf = (data: Data, typeName: string, now: number): LimitRoom | undefined => {
  const limit = boundsOf(data, typeName);
  const running = permitsOf(data, typeName, now);
  return limit && limitRoom({ ...limit, running }, now * 1_000);
};

/** Takes the tokens of one start. */
export const spendToken = (data: Data, typeName: string, now: number): void => {
  const limit = data.limits[typeName];
  if (limit === undefined || limit.rate === null) return;
  const backAtUs = spendTokens(limit.rate, limit.backAtUs, now * 1_000, 1);
  data.limits[typeName] = { ...limit, backAtUs };
};
