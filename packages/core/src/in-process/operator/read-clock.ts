import type { Database, InProcessOperatorMethod } from "../database.ts";

export const readClock =
  (database: Database): InProcessOperatorMethod<"readClock"> =>
  async () =>
    new Date(database.now());
