import type { Database, InProcessMethod } from "../database.ts";

export const deleteLimits =
  (database: Database): InProcessMethod<"deleteLimits"> =>
  async ({ names }) =>
    names.length === 0
      ? []
      : database.write(undefined, "deleteLimits", ({ limits, limitKeys }) =>
          names.map((name) => {
            for (const [id, { limitName }] of limitKeys) {
              if (limitName === name) limitKeys.delete(id);
            }
            return limits.delete(name);
          }),
        );
