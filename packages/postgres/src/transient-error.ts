// Which failures pass by themselves. SQLSTATE classes and the codes of sockets; drivers agree on `code`.

import { hiddenServerError, innerErrorOf } from "./inner-error.ts";

const transientStates = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "53100", // disk_full
  "53200", // out_of_memory
  "53300", // too_many_connections
  "55P03", // lock_not_available
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "25006", // read_only_sql_transaction: a primary that has just become a replica
]);

const transientCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  // postgres.js
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  // Prisma: unreachable, timed out, closed; no connection in time; a conflict or a deadlock.
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  "P2034",
  // Bun.SQL
  "ERR_POSTGRES_CONNECTION_CLOSED",
  "ERR_POSTGRES_CONNECTION_TIMEOUT",
]);

// `pg` and ORMs give some of their errors no code.
const transientMessage =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|client has encountered a connection error|query read timeout|timeout acquiring a connection|unable to start a transaction in the given time/i;

/**
 * Whether trying again can help: the default of the option `isTransientError`.
 *
 * @example
 * ```ts
 * const isTransientError = (error: unknown) => isTransientPgError(error) || isMine(error);
 * ```
 */
export const isTransientPgError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = hiddenServerError(error) ?? (error as { code?: unknown });
  if (typeof code === "string") {
    // Class 08: connection exceptions.
    if (code.startsWith("08") || transientStates.has(code) || transientCodes.has(code)) return true;
  }
  if (error instanceof AggregateError && error.errors.some(isTransientPgError)) return true;
  return transientMessage.test(error.message) || isTransientPgError(innerErrorOf(error));
};
