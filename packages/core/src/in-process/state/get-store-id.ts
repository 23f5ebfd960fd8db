import type { Database, InProcessMethod } from "../database.ts";

export const getStoreId =
  (database: Database): InProcessMethod<"getStoreId"> =>
  async () =>
    database.storeId;
