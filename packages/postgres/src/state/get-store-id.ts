import { createHash } from "node:crypto";
import type { PgDatabase, PgState } from "../database.ts";
import type { StoreNames } from "../store-names.ts";

export const getStoreId = (db: PgDatabase): PgState["getStoreId"] => {
  const { schema, schemaName } = db.names;
  const read = db.statement("get_store_id", `SELECT id FROM ${schema}.store LIMIT 1`);
  const write = db.statement("write_store_id", toWriteSql(db.names));
  const readId = async (): Promise<unknown> => (await read([]))[0]?.["id"];
  const readWritten = async (): Promise<unknown> => {
    await write([]);
    return readId();
  };
  return async () => {
    const id = (await readId()) ?? (await readWritten());
    // With the schema's name: a copy of a schema under another name is another store.
    const identity = JSON.stringify([id, schemaName]);
    return createHash("sha256").update(identity).digest("hex").slice(0, 16);
  };
};

/**
 * Gives an emptied table a new identity, as after tests that truncate all tables. Several processes that do so take turns.
 * The second one finds the row, because each statement of a block has a snapshot of its own.
 */
const toWriteSql = ({ schema, schemaName }: StoreNames): string => {
  const digest = createHash("sha256").update(`queuert identity of ${schemaName}`).digest();
  // A schema may have any name. It cannot contain a tag made of its own digest.
  const tag = `$q${digest.toString("hex", 0, 16)}$`;
  return `DO ${tag}
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(${digest.readBigInt64BE(0)});
  INSERT INTO ${schema}.store (id)
  SELECT pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', '')
  WHERE NOT EXISTS (SELECT FROM ${schema}.store);
END
${tag}`;
};
