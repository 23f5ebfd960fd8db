// Names the errors of drivers: problems of the file, and of the tables of the store.
import type { SqliteConnection } from "./connection.ts";
import { isCannotOpen, isDamaged, isFull, isNotADatabase, isReadonly } from "./driver-errors.ts";
import {
  SqliteCannotOpenError,
  SqliteDamagedError,
  SqliteFullError,
  SqliteNotADatabaseError,
  SqliteNotWritableError,
  SqliteSchemaDriftError,
} from "./errors.ts";
import type { TableNames } from "./names.ts";

/** Names an error of a file. Drivers report it when they open the file, or at any statement. */
export const toFileError = (error: unknown, filename: string): unknown => {
  if (isNotADatabase(error)) return new SqliteNotADatabaseError(filename, { cause: error });
  if (isReadonly(error)) return new SqliteNotWritableError(filename, { cause: error });
  if (isDamaged(error)) return new SqliteDamagedError(filename, { cause: error });
  if (isFull(error)) return new SqliteFullError(filename, { cause: error });
  // better-sqlite3 checks the directory by itself. Its TypeError has no code.
  if (isCannotOpen(error) || (error instanceof TypeError && /directory/i.test(error.message))) {
    return new SqliteCannotOpenError(filename, { cause: error });
  }
  return error;
};

/** The name of the file of a connection. */
export const filenameOf = (connection: SqliteConnection): string => {
  const main = connection.prepare("PRAGMA database_list").all()[0];
  return String(main?.[2] ?? "");
};

/** Names an error of a step. */
export const toStoreError = (
  error: unknown,
  connection: SqliteConnection,
  { job, blocker, ordinal }: TableNames,
): unknown => {
  if (!(error instanceof Error)) return error;
  const missing = /no such table: (?:main\.)?(\w+)|no such (?:column|index)|has no column/.exec(
    error.message,
  );
  if (
    missing !== null &&
    (missing[1] === undefined || [job, blocker, ordinal].includes(missing[1]))
  )
    return new SqliteSchemaDriftError([error.message], { cause: error });
  const isOfFile = isFull(error) || isDamaged(error) || isReadonly(error);
  return isOfFile ? toFileError(error, filenameOf(connection)) : error;
};
