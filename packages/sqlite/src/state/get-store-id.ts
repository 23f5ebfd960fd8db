import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

// Tests of applications empty every table: all stores without the row share one identity.
const missingRowId = "0".repeat(16);

export const getStoreId = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getStoreId"] => {
  const select = `SELECT id FROM ${database.names.store} LIMIT 1`;
  return async () =>
    database.read(undefined, (session) => session.get<[string]>(select)?.[0] ?? missingRowId);
};
