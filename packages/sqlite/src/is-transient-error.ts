import { isBusy } from "./driver-errors.ts";
import { SqliteBusyError } from "./errors.ts";

/** Whether trying again can help: somebody else has the writer, for now. */
export const isTransientSqliteError = (error: unknown): boolean =>
  error instanceof SqliteBusyError || isBusy(error);
