// The result codes of SQLite, read from the errors of every driver.
import { SqliteBusyError } from "./errors.ts";

// The low byte is the primary code. The other bits refine it.
const codes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  damaged: 11,
  full: 13,
  cantOpen: 14,
  constraint: 19,
  notADatabase: 26,
};
const constraintPrimaryKey = 1_555;
const constraintUnique = 2_067;

const names: Readonly<Record<string, number>> = {
  SQLITE_BUSY: codes.busy,
  SQLITE_LOCKED: codes.locked,
  SQLITE_READONLY: codes.readonly,
  SQLITE_CORRUPT: codes.damaged,
  SQLITE_FULL: codes.full,
  SQLITE_CANTOPEN: codes.cantOpen,
  SQLITE_CONSTRAINT_PRIMARYKEY: constraintPrimaryKey,
  SQLITE_CONSTRAINT_UNIQUE: constraintUnique,
  SQLITE_NOTADB: codes.notADatabase,
};

/** The numeric code of SQLite. `node:sqlite` has it as `errcode`, `better-sqlite3` has its name as `code`. */
const codeOf = (error: unknown): number | null => {
  if (typeof error !== "object" || error === null) return null;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  if (!("code" in error) || typeof error.code !== "string") return null;
  const { code } = error;
  const known = names[code];
  if (known !== undefined) return known;
  // Such as SQLITE_BUSY_SNAPSHOT: the first two words are the primary code.
  return names[code.split("_", 2).join("_")] ?? null;
};

const isPrimary = (error: unknown, primary: number): boolean => {
  const code = codeOf(error);
  return code !== null && (code & 0xff) === primary;
};

/** Another connection has a temporary lock on the file. */
export const isBusy = (error: unknown): boolean =>
  isPrimary(error, codes.busy) || isPrimary(error, codes.locked);

export const isReadonly = (error: unknown): boolean => isPrimary(error, codes.readonly);
export const isCannotOpen = (error: unknown): boolean => isPrimary(error, codes.cantOpen);
export const isDamaged = (error: unknown): boolean => isPrimary(error, codes.damaged);
export const isFull = (error: unknown): boolean => isPrimary(error, codes.full);
export const isNotADatabase = (error: unknown): boolean => isPrimary(error, codes.notADatabase);

/** A primary key or a unique index refused a row. */
export const isDuplicate = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === constraintPrimaryKey || code === constraintUnique;
};

/**
 * Whether a second try can help: another connection has the writer for now.
 *
 * @example
 * ```ts
 * const isTransientError = (error: unknown) => isTransientSqliteError(error) || isMine(error);
 * ```
 */
export const isTransientSqliteError = (error: unknown): boolean =>
  error instanceof SqliteBusyError || isBusy(error);
