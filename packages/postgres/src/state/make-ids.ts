import { PgInvalidOptionError } from "../errors.ts";
import { toNullableText } from "../job-row.ts";
import { codeOf, saysOfStore } from "../named-errors.ts";
import type { PgDatabase } from "../database.ts";

// The user's expression runs outside the routines, with the path of the session: it may call the user's functions.

/** New ids, made by the library, or by the server if the store has an `idDefault`. */
export const idMaker = (
  db: PgDatabase,
  generateId: () => string,
): ((count: number, context?: object) => Promise<readonly string[]>) => {
  if (db.idDefault === null) return async (count) => Array.from({ length: count }, generateId);
  const make = db.statement(
    "make_ids",
    `SELECT (${db.idDefault})::pg_catalog.text AS id ` +
      `FROM pg_catalog.generate_series(1, $1::pg_catalog.text::integer)`,
  );
  return async (count, context) => {
    if (count === 0) return [];
    const rows = await make([String(count)], context).catch(blameIdDefault(db));
    return rows.map((row) => {
      const id = db.id(toNullableText(row["id"]) ?? "\0");
      if (id === null) throw invalidIdDefault(db);
      return id;
    });
  };
};

const invalidIdDefault = ({ names: { idTypeName } }: PgDatabase, cause?: unknown): Error =>
  new PgInvalidOptionError("idDefault", `an SQL expression that makes a ${idTypeName}`, { cause });

// Errors of the expression itself: a syntax error, another type, or no value.
const statesOfExpression = new Set(["42601", "42804", "42846", "22P02", "22003", "23502"]);
// Errors of the expression unless they name the schema of the store.
const statesOfNames = new Set(["42883", "42P01", "42703"]);

/** For a statement that contains the expression: an error of the expression names the option. */
export const blameIdDefault =
  (db: PgDatabase) =>
  (error: unknown): never => {
    const code = error instanceof Error ? codeOf(error) : undefined;
    if (!(error instanceof Error) || code === undefined) throw error;
    const isToBlame =
      statesOfExpression.has(code) || (statesOfNames.has(code) && !saysOfStore(error, db.names));
    throw isToBlame ? invalidIdDefault(db, error) : error;
  };
