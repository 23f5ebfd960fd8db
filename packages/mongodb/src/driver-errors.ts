// What the driver's errors mean, read by code and label: its classes differ between copies and versions of the driver.
import { MongoNoAnswerError, MongoTransactionAbortedError } from "./errors.ts";

interface DriverError {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly errorLabels?: unknown;
  readonly hasErrorLabel?: unknown;
  readonly cause?: unknown;
  /** What a bulk write ran into: its own error has another name, and none of the labels. */
  readonly err?: unknown;
}

const codes = {
  namespaceExists: 48,
  maxTimeExpired: 50,
  writeConflict: 112,
  noSuchTransaction: 251,
  duplicateKey: 11_000,
} as const;

// "not primary", shutting down, stepping down, and what a restarting server answers.
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
  // All connections were busy for `waitQueueTimeoutMS`, or all of it took longer than `timeoutMS`.
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

/** What was to be created is there already: another process was faster. */
export const isAlreadyThere = (error: unknown): boolean => codeOf(error) === codes.namespaceExists;

/** What is behind the error: another one, or nothing. */
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

/** The statement ran into its `maxTimeMS`: here always because a document it wants is locked. */
export const isTimeExpired = (error: unknown): boolean =>
  asDriverError(error).code === codes.maxTimeExpired;

export const isWriteConflict = (error: unknown): boolean =>
  asDriverError(error).code === codes.writeConflict;

export const isDuplicateKey = (error: unknown): boolean =>
  asDriverError(error).code === codes.duplicateKey;

/** A lost connection or primary: what a healthy cluster answers a moment later. */
export const isConnectionError = (error: unknown): boolean => {
  if (error instanceof MongoNoAnswerError) return true;
  const { code, name } = asDriverError(error);
  if (typeof name === "string" && networkNames.has(name)) return true;
  if (typeof code === "string" && networkCodes.has(code)) return true;
  if (typeof code === "number" && failoverCodes.has(code)) return true;
  // The driver copies a lost connection's error into its own, but for its name.
  if (name === "MongoBulkWriteError" && code === undefined) return true;
  const origin = originOf(error);
  return origin !== undefined && origin !== null && isConnectionError(origin);
};

/** Whether repeating a statement that runs by itself can help. */
export const isTransientMongoError = (error: unknown): boolean =>
  error instanceof MongoTransactionAbortedError ||
  isWriteConflict(error) ||
  hasLabel(error, "TransientTransactionError") ||
  hasLabel(error, "RetryableWriteError") ||
  isConnectionError(error);

/**
 * Whether nobody knows what became of a commit. Whatever no server has said counts: some errors of a dying
 * connection reach the driver in a form that it stumbles over itself, with a TypeError.
 */
export const isCommitUnknown = (error: unknown): boolean => {
  if (hasLabel(error, "TransientTransactionError")) return false;
  if (hasLabel(error, "UnknownTransactionCommitResult")) return true;
  return typeof asDriverError(error).code !== "number" || isConnectionError(error);
};

/** The error of a statement in a transaction: typed where the server has aborted it, else as it is. */
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

// In a transaction, two inserts of one new document may be a duplicate where any other two writes are a conflict.
export const duplicateAsConflict = async (run: () => Promise<unknown>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new MongoTransactionAbortedError("write_conflict", { cause: error });
  }
};
