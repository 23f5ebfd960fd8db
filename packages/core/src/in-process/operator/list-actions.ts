import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listActions =
  (database: Database): InProcessOperatorMethod<"listActions"> =>
  async ({ limit }) =>
    [...database.actions.values()]
      .sort((left, right) => right.startedAt.getTime() - left.startedAt.getTime())
      .slice(0, limit);
