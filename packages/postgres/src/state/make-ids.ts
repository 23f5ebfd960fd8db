import { PgInvalidOptionError } from "../errors.ts";
import { toNullableText } from "../job-row.ts";
import { codeOf, saysOfStore } from "../named-errors.ts";
import type { PgDatabase } from "./pg-state.ts";

/** So many new ids: made here, or by the server where the store has an `idDefault`. */
export const idMaker = (
  db: PgDatabase,
  generateId: () => string,
): ((count: number, context?: object) => Promise<readonly string[]>) => {
  if (db.idDefault === null) return async (count) => Array.from({ length: count }, generateId);
  const make = db.statement(
    "make_ids",
    `SELECT (${db.idDefault})::text AS id FROM generate_series(1, $1::text::integer)`,
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

const invalidIdDefault = ({ names: { idType } }: PgDatabase, cause?: unknown): Error =>
  new PgInvalidOptionError("idDefault", `an SQL expression that makes a ${idType}`, { cause });

// What the server says of the expression: it cannot be read, is of another type, or made none.
const statesOfExpression = new Set(["42601", "42804", "42846", "22P02", "22003", "23502"]);
// The same where it is not said of the store.
const statesOfNames = new Set(["42883", "42P01", "42703"]);

/** For a statement with the expression in it: names the option where that is to blame. */
export const blameIdDefault =
  (db: PgDatabase) =>
  (error: unknown): never => {
    const code = error instanceof Error ? codeOf(error) : undefined;
    if (!(error instanceof Error) || code === undefined) throw error;
    const isToBlame =
      statesOfExpression.has(code) || (statesOfNames.has(code) && !saysOfStore(error, db.names));
    throw isToBlame ? invalidIdDefault(db, error) : error;
  };
