// An error as an answer: its status, and a body without anything that the person must not see.
import { QueuertError } from "queuert";
import { InvalidFilterError } from "queuert/operator";
import type { ApiError } from "./api-types.ts";

const statuses: Readonly<Record<string, number>> = {
  QUEUERT_DASHBOARD_BAD_REQUEST: 400,
  QUEUERT_INVALID_FILTER: 400,
  QUEUERT_INVALID_OPTION: 400,
  QUEUERT_INVALID_CURSOR: 400,
  QUEUERT_INVALID_SCHEDULE: 400,
  QUEUERT_LIMIT_EXCEEDED: 400,
  QUEUERT_TOO_MANY_TICKS: 400,
  QUEUERT_DASHBOARD_SIGN_IN: 401,
  QUEUERT_DASHBOARD_CROSS_SITE: 403,
  QUEUERT_DASHBOARD_FORBIDDEN: 403,
  QUEUERT_READ_ONLY_OPERATOR: 403,
  QUEUERT_DASHBOARD_NOT_FOUND: 404,
  QUEUERT_JOB_NOT_FOUND: 404,
  QUEUERT_SCHEDULE_NOT_FOUND: 404,
  QUEUERT_UNKNOWN_JOB: 404,
  QUEUERT_UNKNOWN_JOB_TYPE: 404,
  QUEUERT_UNKNOWN_LIMIT: 404,
  QUEUERT_LIMITS_UNSUPPORTED: 404,
  QUEUERT_PLAN_REFUSED: 409,
  QUEUERT_DASHBOARD_TOO_LARGE: 413,
  QUEUERT_DASHBOARD_BUSY: 429,
  QUEUERT_CLOSED: 503,
  QUEUERT_QUERY_TIMEOUT: 504,
};

/** Mistakes of the code, and errors of the library that no route expects. Those of a store name the store, or have no code. */
const isBug = (error: unknown): boolean =>
  error instanceof QueuertError
    ? !/^QUEUERT_(?:PG|SQLITE|MONGODB)_/.test(error.code)
    : error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

export interface Failure {
  readonly status: number;
  readonly body: ApiError;
  /** The log has the error itself. */
  readonly isUnexpected: boolean;
}

export const toFailure = (error: unknown): Failure => {
  const known = error instanceof QueuertError ? statuses[error.code] : undefined;
  if (!(error instanceof QueuertError) || known === undefined) return unexpected(error);
  const { code, message } = error;
  return {
    status: known,
    isUnexpected: false,
    body:
      error instanceof InvalidFilterError
        ? { code, message, detail: { position: error.position, length: error.length } }
        : { code, message },
  };
};

const unexpected = (error: unknown): Failure =>
  isBug(error)
    ? {
        status: 500,
        isUnexpected: true,
        body: {
          code: "QUEUERT_DASHBOARD_FAILED",
          message: "The dashboard failed. The log of its server has the error.",
        },
      }
    : {
        status: 503,
        isUnexpected: true,
        body: {
          code: "QUEUERT_DASHBOARD_STORE_FAILED",
          message: "The store did not answer. The log of the server has the error.",
        },
      };

export const failureAnswer = ({ status, body }: Failure): Response =>
  Response.json(body, { status, headers: status === 429 ? { "retry-after": "2" } : {} });
