// Routines are a repeatable migration: each has a checksum of its own and is created again if its text changes. Workers of two
// versions run side by side during a deployment, so routines of the version before stay installed.
import { type Routine, fillRoutine } from "../routines/routine.ts";
import { routines } from "../routines/index.ts";
import type { PgRow } from "../state-provider.ts";
import type { StoreNames } from "../store-names.ts";
import { routinesVersion } from "./index.ts";
import { checksumOf } from "./migration.ts";

type Query = (sql: string, params?: readonly (string | null)[]) => Promise<readonly PgRow[]>;

interface InstalledRoutine {
  readonly name: string;
  readonly checksum: string;
  /** The newest version of the library that has this routine. */
  readonly version: number;
}

/** The routines of one version of the library; a test passes others. */
export interface RoutineSet {
  readonly routines: readonly Routine[];
  readonly version: number;
}

export const ownRoutines: RoutineSet = { routines, version: routinesVersion };

export const readInstalledRoutines = async (
  query: Query,
  { schema }: StoreNames,
): Promise<readonly InstalledRoutine[]> => {
  const rows = await query(`SELECT r.name, r.checksum, r.version FROM ${schema}.routine r`);
  return rows.map((row) => ({
    name: String(row["name"]),
    checksum: String(row["checksum"]),
    version: Number(row["version"]),
  }));
};

/** A newer library has migrated, and kept the routines of this one. */
export const servesThisVersion = (
  installed: readonly InstalledRoutine[],
  { routines, version }: RoutineSet,
): boolean => {
  const names = new Set(installed.map(({ name }) => name));
  return (
    installed.some((routine) => routine.version > version) &&
    routines.every(({ name }) => names.has(name))
  );
};

/**
 * The statements that install the own routines. Routines that the own version no longer has are dropped, except those of
 * the version that was installed last: its workers may still run.
 */
export const routineSql = (
  names: StoreNames,
  path: string,
  installed: readonly InstalledRoutine[],
  { routines, version }: RoutineSet = ownRoutines,
): readonly string[] => {
  const lastVersion = Math.max(0, ...installed.map((routine) => routine.version));
  // A newer library has migrated: its bodies serve this version too.
  if (lastVersion > version) return [];
  const known = new Map(installed.map((routine) => [routine.name, routine]));
  const own = new Set(routines.map(({ name }) => name));
  const created = routines.flatMap((routine) => {
    const sql = fillRoutine(routine, names, path);
    const checksum = checksumOf([sql]);
    const before = known.get(routine.name);
    if (before?.checksum === checksum && before.version === version) return [];
    return [
      ...(before?.checksum === checksum ? [] : [sql]),
      `INSERT INTO ${names.schema}.routine (name, checksum, version)\n` +
        `VALUES ('${routine.name}', '${checksum}', ${version})\n` +
        `ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, version = excluded.version`,
    ];
  });
  const dropped = installed
    .filter((routine) => !own.has(routine.name) && routine.version < lastVersion)
    .flatMap(({ name }) => [
      dropSql(names, name),
      `DELETE FROM ${names.schema}.routine WHERE name = '${name}'`,
    ]);
  return lastVersion === version ? created : [...created, ...dropped];
};

// By its name alone: a name has one signature.
const dropSql = ({ schema }: StoreNames, name: string): string =>
  `DROP FUNCTION IF EXISTS ${schema}.${name}`;
