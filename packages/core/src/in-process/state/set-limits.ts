// Limits of job types. An acquisition reads them in its own statement.
import { isDeclarationNews, unbounded } from "../../adapter-kit/limit-rules.ts";
import type { Database, InProcessMethod } from "../database.ts";

export const setLimits =
  (database: Database): InProcessMethod<"setLimits"> =>
  async ({ limits }) =>
    limits.length === 0
      ? []
      : database.write(undefined, "setLimits", (store) =>
          limits.map(({ name, concurrency, rate, perKey, agingMs, declaration }) => {
            const stored = store.limits.get(name);
            if (!isDeclarationNews(declaration, stored?.declaration ?? null)) return false;
            store.limits.set(name, {
              concurrency,
              rate,
              perKey: perKey ?? unbounded,
              agingMs: agingMs ?? null,
              declaration: declaration ?? stored?.declaration ?? null,
              updatedAt: store.now,
              backAtUs: stored?.backAtUs ?? null,
            });
            return true;
          }),
        );
