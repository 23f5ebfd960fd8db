// Compares the schema with one made from the migrations, in a transaction that is rolled back.
import { randomBytes } from "node:crypto";
import type { BaseStateAdapterContext } from "queuert/internal";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { createStoreNames, type StoreNames } from "../store-names.ts";
import { describeSchema } from "./describe-schema.ts";
import { migrationSql } from "./migrate.ts";
import { migrations } from "./index.ts";

/** How the schema differs from what the library expects; nothing in either list: it does not. */
export interface SchemaDifferences {
  /** What the library expects and the schema has not. */
  readonly missing: readonly string[];
  /** What the schema has and the library does not expect. */
  readonly unexpected: readonly string[];
}

class Undo extends Error {}

export const checkSchema = async (
  provider: PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>,
  names: StoreNames,
): Promise<SchemaDifferences> => {
  let found: readonly string[] = [];
  let expected: readonly string[] = [];
  const shadow = createStoreNames(`queuert_check_${randomBytes(6).toString("hex")}`, names.idType);
  try {
    await provider.runInTransaction(async (context) => {
      const query = (
        sql: string,
        params: readonly (string | null)[] = [],
      ): Promise<readonly PgRow[]> => provider.executeSql({ sql, params }, context);
      for (const sql of migrationSql(shadow, migrations, false)) await query(sql);
      // Not before: the type of ids may be found by the session's path.
      await query("SET LOCAL search_path = pg_catalog");
      found = await describeSchema(query, names.schema);
      expected = await describeSchema(query, shadow.schema);
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return {
    missing: expected.filter((line) => !found.includes(line)),
    unexpected: found.filter((line) => !expected.includes(line)),
  };
};
