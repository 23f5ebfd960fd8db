// The rules for a change of the routines, against the snapshot of the version before.
import { createHash } from "node:crypto";
import { migrations, routinesVersion } from "../src/migrations/index.ts";
import { routines } from "../src/routines/index.ts";
import { fillRoutine, type Routine } from "../src/routines/routine.ts";
import { createStoreNames } from "../src/store-names.ts";

export interface RoutinesSnapshot {
  /** The version of the package when the snapshot was written: of the last release. */
  readonly release: string;
  readonly routinesVersion: number;
  readonly migrations: readonly string[];
  /** By name: checksums of the signature with the result, and of the rest. */
  readonly routines: Readonly<
    Record<string, { readonly signature: string; readonly body: string }>
  >;
}

const checksum = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

const names = createStoreNames("queuert", "uuid");

const checksumsOf = (routine: Routine): { signature: string; body: string } => {
  const sql = fillRoutine(routine, names, "pg_catalog, pg_temp");
  const start = sql.indexOf("\nLANGUAGE");
  if (start < 0) throw new Error(`${routine.name} has no line that begins with LANGUAGE`);
  return { signature: checksum(sql.slice(0, start)), body: checksum(sql.slice(start)) };
};

export const currentSnapshot = (release: string): RoutinesSnapshot => ({
  release,
  routinesVersion,
  migrations: migrations.map(({ name }) => name),
  routines: Object.fromEntries(routines.map((routine) => [routine.name, checksumsOf(routine)])),
});

/** Instructions for the changes that workers of a released version would not survive. */
export const forbiddenChanges = (before: RoutinesSnapshot, after: RoutinesSnapshot): string[] => {
  const isReleased = before.release !== after.release;
  if (!isReleased) return [];
  const changed = Object.entries(after.routines).flatMap(([name, { signature }]) => {
    const old = before.routines[name];
    if (old !== undefined && old.signature !== signature) {
      return [
        `${name} has another signature or result than in version ${before.routinesVersion}, which is released. ` +
          `Give it a new name, such as ${name}_2, and call that: workers of the old version call ${name}.`,
      ];
    }
    return [];
  });
  const isSame =
    JSON.stringify([before.migrations, before.routines]) ===
    JSON.stringify([after.migrations, after.routines]);
  if (isSame || after.routinesVersion === before.routinesVersion + 1) return changed;
  const raise =
    `Routines or migrations differ from those of version ${before.routinesVersion}, which is released. ` +
    `Set routinesVersion in src/migrations/index.ts to ${before.routinesVersion + 1}.`;
  return [...changed, raise];
};
