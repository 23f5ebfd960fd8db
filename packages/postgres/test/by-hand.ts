// The set-up of tests that force a race by hand: a store with a small pool, and routines that are changed for a case.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { createStateSteps, type StateSteps } from "queuert/testing";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { routines } from "../src/routines/index.ts";
import { fillRoutine } from "../src/routines/routine.ts";
import { createStoreNames } from "../src/store-names.ts";
import type { Databases } from "./fixtures.ts";

export interface StoreByHand {
  readonly pool: pg.Pool;
  readonly adapter: AnyStateAdapter;
  readonly steps: StateSteps;
}

/** A new database with the tables. The test ends the pool. */
export const openByHand = async (databases: Databases): Promise<StoreByHand> => {
  const { url } = await databases().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
  await adapter.migrateToLatest();
  return { pool, adapter, steps: createStateSteps(adapter) };
};

const names = createStoreNames("queuert", "uuid");

/** A routine in which each of these texts is replaced by another. */
export const changedRoutine = (
  name: string,
  changes: readonly (readonly [before: string, after: string])[],
): string => {
  const routine = routines.find((each) => each.name === name);
  if (routine === undefined) throw new Error(`There is no routine ${name}`);
  let sql = routine.sql;
  for (const [before, after] of changes) {
    if (!sql.includes(before)) throw new Error(`${name} has no such text: ${before}`);
    sql = sql.replaceAll(before, after);
  }
  return fillRoutine({ ...routine, sql }, names, "pg_catalog, pg_temp");
};
