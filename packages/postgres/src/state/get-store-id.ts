import { createHash } from "node:crypto";
import type { PgDatabase, PgState } from "../database.ts";

export const getStoreId = (db: PgDatabase): PgState["getStoreId"] => {
  const { schema, schemaName } = db.names;
  const read = db.statement("get_store_id", `SELECT id FROM ${schema}.store LIMIT 1`);
  return async () => {
    // Tests of applications truncate every table: without the row, the schema's name has to do.
    const [row] = await read([]);
    // With the schema's name: a copy of a schema under another name is another store.
    const identity = JSON.stringify([row?.["id"] ?? null, schemaName]);
    return createHash("sha256").update(identity).digest("hex").slice(0, 16);
  };
};
