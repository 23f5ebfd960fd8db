// Compares the schema with one made from the migrations, in a transaction that is rolled back.
import { randomBytes } from "node:crypto";
import type { BaseStateAdapterContext } from "queuert/internal";
import type { PgRow, PgStateProvider } from "../state-provider.ts";
import { createStoreNames, type StoreNames } from "../store-names.ts";
import { describeSchema } from "./describe-schema.ts";
import { migrations } from "./index.ts";
import { ownRoutines, readInstalledRoutines, routineSql } from "./installed-routines.ts";
import { migrationSql } from "./migrate.ts";
import { pinPathSql, routinePath } from "./search-path.ts";

/** How the schema differs from the one that the library expects. Both lists are empty if it does not. */
export interface SchemaDifferences {
  /** Expected by the library and not in the schema. */
  readonly missing: readonly string[];
  /** In the schema and not expected by the library. */
  readonly unexpected: readonly string[];
}

class Undo extends Error {}

export const checkSchema = async (
  provider: PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>,
  names: StoreNames,
): Promise<SchemaDifferences> => {
  let found: readonly string[] = [];
  let expected: readonly string[] = [];
  let strays: readonly string[] = [];
  let isOfOtherVersion = (_line: string): boolean => false;
  const shadow = createStoreNames(`queuert_check_${randomBytes(6).toString("hex")}`, names.idType);
  try {
    await provider.runInTransaction(async (context) => {
      const query = (
        sql: string,
        params: readonly (string | null)[] = [],
      ): Promise<readonly PgRow[]> => provider.executeSql({ sql, params }, context);
      await query(pinPathSql);
      isOfOtherVersion = await ofOtherVersion(query, names);
      const path = await routinePath(query, names);
      for (const sql of migrationSql(shadow, migrations, false)) await query(sql);
      for (const sql of routineSql(shadow, path, [])) await query(sql);
      found = await describeSchema(query, names.schema);
      expected = await describeSchema(query, shadow.schema);
      if (expected.every((line) => found.includes(line)))
        strays = await describeStrays(query, names);
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return {
    missing: expected.filter((line) => !found.includes(line)),
    unexpected: [
      ...found.filter((line) => !expected.includes(line) && !isOfOtherVersion(line)),
      ...strays,
    ],
  };
};

/** Up to ten jobs that can never run, or that are listed as pending although they have ended. */
const describeStrays = async (
  query: (sql: string) => Promise<readonly PgRow[]>,
  { schema }: StoreNames,
): Promise<readonly string[]> => {
  const rows = await query(
    `SELECT s.id::text, s.status, s.ready_count, s.lease_count FROM ${schema}.stray_jobs(10) s`,
  );
  return rows.map((row) => {
    const status = row["status"] === null ? "missing" : String(row["status"]);
    const counts = `${String(row["ready_count"])} ready rows and ${String(row["lease_count"])} leases`;
    return `job ${String(row["id"])} is ${status} with ${counts}`;
  });
};

/** Routines that workers of the version before still call are no difference. */
const ofOtherVersion = async (
  query: (sql: string) => Promise<readonly PgRow[]>,
  names: StoreNames,
): Promise<(line: string) => boolean> => {
  const own = new Set(ownRoutines.routines.map(({ name }) => name));
  const installed = await readInstalledRoutines(query, names);
  const others = installed.flatMap(({ name }) => (own.has(name) ? [] : [`function ${name}(`]));
  return (line) => others.some((start) => line.startsWith(start));
};
