// Errors of the server that mean something about the installation or the payload, under a name and with a remedy.
import { asDriverError, codeOf } from "./driver-errors.ts";
import {
  MongoDocumentTooLargeError,
  MongoPermissionError,
  MongoUnreachableError,
} from "./errors.ts";

const unauthorized = 13;
const notInStrictApi = 323;
// What an insert, and what an update would have made too large.
const tooLarge = new Set<unknown>([10_334, 17_419, 17_420]);

export const isUnauthorized = (error: unknown): boolean => codeOf(error) === unauthorized;

/** The command, or an option of it, is none of the Stable API, and the client has asked for nothing else. */
export const isStrictApi = (error: unknown): boolean => codeOf(error) === notInStrictApi;

const isTooLarge = (error: unknown): boolean => {
  const { code, message } = asDriverError(error);
  if (tooLarge.has(code)) return true;
  // The driver measures some documents itself, and has no code for those that are too large.
  return (
    typeof message === "string" && message.startsWith("Document is larger than the maximum size")
  );
};

/** The typed error for what a command on a collection has met, or the same error. */
export const toNamedError = (error: unknown, collection: string): unknown => {
  if (isUnauthorized(error)) return new MongoPermissionError(collection, { cause: error });
  if (isTooLarge(error)) return new MongoDocumentTooLargeError({ cause: error });
  return error;
};

/**
 * Whether the driver has given up looking for a server. A client closes for good when that is its first connection: the same
 * call again would only say so.
 */
export const isUnreachable = (error: unknown): boolean =>
  asDriverError(error).name === "MongoServerSelectionError";

export const toUnreachable = (error: unknown): unknown => {
  if (!isUnreachable(error)) return error;
  const code = networkCodeOf(error);
  return new MongoUnreachableError(code ?? "no server was found in time", { cause: error });
};

const networkCodeOf = (error: unknown): string | undefined => {
  const { code, cause } = asDriverError(error);
  if (typeof code === "string") return code;
  return cause === undefined || cause === error ? undefined : networkCodeOf(cause);
};
