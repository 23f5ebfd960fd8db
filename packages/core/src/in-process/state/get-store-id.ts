import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";

export const getStoreId =
  (database: Database): InProcessMethod<"getStoreId"> =>
  async () =>
    database.storeId;
