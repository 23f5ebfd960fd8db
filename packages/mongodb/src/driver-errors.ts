// The meaning of the driver's errors, read by code and label: classes differ between copies and versions
// of the driver.
import { MongoNoAnswerError, MongoTransactionAbortedError } from "./errors.ts";

export interface DriverError {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly errorLabels?: unknown;
  readonly hasErrorLabel?: unknown;
  readonly cause?: unknown;
  /** The error behind a bulk write's own error, which has another name and no labels. */
  readonly err?: unknown;
}

const codes = {
  unauthorized: 13,
  authenticationFailed: 18,
  namespaceExists: 48,
  maxTimeExpired: 50,
  writeConflict: 112,
  noSuchTransaction: 251,
  notInStrictApi: 323,
  // MongoDB Atlas has one code for several errors of its proxy.
  atlas: 8_000,
  duplicateKey: 11_000,
} as const;

// "not primary", shutting down, stepping down, and the errors of a restarting server.
const failoverCodes = new Set([
  6, 7, 89, 91, 134, 189, 262, 317, 358, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

const networkCodes = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

const networkNames = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  // All connections were busy for `waitQueueTimeoutMS`, or the call took longer than `timeoutMS`.
  "MongoWaitQueueTimeoutError",
  "MongoOperationTimeoutError",
  "MongoServerSelectionError",
  "MongoPoolClearedError",
  "PoolClearedError",
  "MongoPoolClearedOnNetworkError",
  "PoolClearedOnNetworkError",
  "MongoNotConnectedError",
]);

export const asDriverError = (error: unknown): DriverError =>
  typeof error === "object" && error !== null ? error : {};

export const codeOf = (error: unknown): unknown => asDriverError(error).code;

/** The collection exists already: another process was faster. */
export const isAlreadyThere = (error: unknown): boolean => codeOf(error) === codes.namespaceExists;

/** The error behind this one, if any. */
const originOf = (error: unknown): unknown => {
  const { cause, err } = asDriverError(error);
  const origin = err ?? cause;
  return origin === error ? undefined : origin;
};

/** Whether the error, or one behind it, carries a label such as `TransientTransactionError`. */
export const hasLabel = (error: unknown, label: string): boolean => {
  const { hasErrorLabel } = asDriverError(error);
  // Called on the error itself: the driver keeps its labels in a private field.
  if (typeof hasErrorLabel === "function" && hasErrorLabel.call(error, label) === true) return true;
  const origin = originOf(error);
  return origin !== undefined && origin !== null && hasLabel(origin, label);
};

/** The statement ran into its `maxTimeMS`: here always because of a locked document. */
export const isTimeExpired = (error: unknown): boolean =>
  asDriverError(error).code === codes.maxTimeExpired;

export const isWriteConflict = (error: unknown): boolean =>
  asDriverError(error).code === codes.writeConflict;

export const isDuplicateKey = (error: unknown): boolean =>
  asDriverError(error).code === codes.duplicateKey;

/** A lost connection or primary: the same call succeeds a moment later on a healthy cluster. */
export const isConnectionError = (error: unknown): boolean => {
  if (error instanceof MongoNoAnswerError) return true;
  const { code, name } = asDriverError(error);
  if (typeof name === "string" && networkNames.has(name)) return true;
  if (typeof code === "string" && networkCodes.has(code)) return true;
  if (typeof code === "number" && failoverCodes.has(code)) return true;
  // The driver copies a lost connection's error into its own, without its name.
  if (name === "MongoBulkWriteError" && code === undefined) return true;
  const origin = originOf(error);
  return origin !== undefined && origin !== null && isConnectionError(origin);
};

/**
 * Whether repeating a statement that runs by itself can help.
 *
 * @example
 * ```ts
 * const isTransientError = (error: unknown) => isTransientMongoError(error) || isMine(error);
 * ```
 */
export const isTransientMongoError = (error: unknown): boolean =>
  error instanceof MongoTransactionAbortedError ||
  isWriteConflict(error) ||
  hasLabel(error, "TransientTransactionError") ||
  hasLabel(error, "RetryableWriteError") ||
  isConnectionError(error);

/**
 * Whether the outcome of a commit is unknown. Every error that no server has sent counts: some errors of a
 * dying connection make the driver fail with a TypeError.
 */
export const isCommitUnknown = (error: unknown): boolean => {
  if (hasLabel(error, "TransientTransactionError")) return false;
  if (hasLabel(error, "UnknownTransactionCommitResult")) return true;
  return typeof asDriverError(error).code !== "number" || isConnectionError(error);
};

/** The error of a statement in a transaction: typed if the server has aborted it, else unchanged. */
export const toTransactionError = (error: unknown): unknown => {
  if (error instanceof MongoTransactionAbortedError) return error;
  if (isWriteConflict(error))
    return new MongoTransactionAbortedError("write_conflict", { cause: error });
  if (asDriverError(error).code === codes.noSuchTransaction) {
    return new MongoTransactionAbortedError("ended", { cause: error });
  }
  if (hasLabel(error, "TransientTransactionError") || isConnectionError(error)) {
    return new MongoTransactionAbortedError("failover", { cause: error });
  }
  return error;
};

// In a transaction, two inserts of one new document are a duplicate, where other writes are a conflict.
export const duplicateAsConflict = async (run: () => Promise<unknown>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new MongoTransactionAbortedError("write_conflict", { cause: error });
  }
};

export const isUnauthorized = (error: unknown): boolean => codeOf(error) === codes.unauthorized;

/** The command or an option is not in the Stable API, and the client asks for strictness. */
export const isStrictApi = (error: unknown): boolean => codeOf(error) === codes.notInStrictApi;

/**
 * Whether the driver found no server in time. If that was the client's first connection, the client stays
 * closed: the same call again fails in the same way.
 */
export const isUnreachable = (error: unknown): boolean =>
  asDriverError(error).name === "MongoServerSelectionError";

/** The server has refused the user or the password of the connection. */
export const isWrongCredentials = (error: unknown): boolean => {
  const { code, message } = asDriverError(error);
  if (code === codes.authenticationFailed) return true;
  if (code === codes.atlas && typeof message === "string") return /\bauth/iu.test(message);
  const origin = originOf(error);
  return origin !== undefined && origin !== null && isWrongCredentials(origin);
};
