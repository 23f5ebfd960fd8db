// Errors of the driver that concern the installation or a payload get a name and a remedy.
import {
  asDriverError,
  isUnauthorized,
  isUnreachable,
  isWrongCredentials,
} from "./driver-errors.ts";
import {
  MongoCredentialsError,
  MongoDocumentTooLargeError,
  MongoPermissionError,
  MongoUnreachableError,
} from "./errors.ts";

// The codes of an insert, and of an update whose result would be too large.
const tooLarge = new Set<unknown>([10_334, 17_419, 17_420]);

const isTooLarge = (error: unknown): boolean => {
  const { code, message } = asDriverError(error);
  if (tooLarge.has(code)) return true;
  // The driver measures some documents itself, and its error has no code.
  return (
    typeof message === "string" && message.startsWith("Document is larger than the maximum size")
  );
};

/** The typed error of a command on a collection, or the same error. */
export const toNamedError = (error: unknown, collection: string): unknown => {
  if (isWrongCredentials(error)) return new MongoCredentialsError({ cause: error });
  if (isUnauthorized(error)) return new MongoPermissionError(collection, { cause: error });
  if (isTooLarge(error)) return new MongoDocumentTooLargeError({ cause: error });
  return error;
};

/** The typed error of a connection that could not be opened, or the same error. */
export const toConnectionError = (error: unknown): unknown => {
  if (isWrongCredentials(error)) return new MongoCredentialsError({ cause: error });
  if (!isUnreachable(error)) return error;
  const code = networkCodeOf(error);
  return new MongoUnreachableError(code ?? "no server was found in time", { cause: error });
};

const networkCodeOf = (error: unknown): string | undefined => {
  const { code, cause } = asDriverError(error);
  if (typeof code === "string") return code;
  return cause === undefined || cause === error ? undefined : networkCodeOf(cause);
};
