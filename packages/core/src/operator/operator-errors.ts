// Errors of the operator layer. Each names the place, the reason and the remedy. Nothing was written when one is thrown.
import { QueuertError } from "../queuert-error.ts";

/** A filter that cannot be read. */
export class InvalidFilterError extends QueuertError {
  readonly code = "QUEUERT_INVALID_FILTER" as const;
  /** The filter as it was given. */
  readonly filter: string;
  /** Where the wrong part begins, from 0. */
  readonly position: number;
  readonly length: number;
  readonly remedy: string;

  constructor(
    { filter, position, length, problem, remedy }: FilterProblem,
    options?: ErrorOptions,
  ) {
    super(`The filter ${problem} at position ${position}: ${remedy}.`, options);
    this.filter = filter;
    this.position = position;
    this.length = length;
    this.remedy = remedy;
  }
}

/** Where a filter is wrong, and how to write it. */
export interface FilterProblem {
  readonly filter: string;
  readonly position: number;
  readonly length: number;
  /** Completes "The filter …". */
  readonly problem: string;
  readonly remedy: string;
}

/** The job does not exist, or the transaction that created it has not committed. */
export class UnknownJobError extends QueuertError {
  readonly code = "QUEUERT_UNKNOWN_JOB" as const;
  readonly jobId: string;

  constructor(jobId: string, options?: ErrorOptions) {
    super(
      `No job has the id "${jobId}". It was deleted, it is in another store, or its transaction has not committed.`,
      options,
    );
    this.jobId = jobId;
  }
}

/** Why a plan is not applied. */
export type PlanRefusal =
  /** The token is not one that this operator made, or it was changed. */
  | "forged"
  /** The plan is older than its time to live. */
  | "expired"
  /** The plan was applied before. */
  | "applied_before"
  /** The confirmed number is not that of the plan. */
  | "count_differs"
  /** Another user made the plan. */
  | "other_user";

/** A plan that is not applied. Nothing was written. */
export class PlanRefusedError extends QueuertError {
  readonly code = "QUEUERT_PLAN_REFUSED" as const;
  readonly reason: PlanRefusal;

  constructor(reason: PlanRefusal, options?: ErrorOptions) {
    super(`${planRefusals[reason]} Make a new plan, read it, and apply that.`, options);
    this.reason = reason;
  }
}

const planRefusals: Readonly<Record<PlanRefusal, string>> = {
  forged: "The token is not one that this operator made, or it was changed.",
  expired: "The plan has expired: jobs have changed since.",
  applied_before: "The plan was applied before.",
  count_differs: "The confirmed number is not the number of the plan.",
  other_user: "Another user made the plan.",
};

/** A read that took too long. Nothing was written. */
export class OperatorTimeoutError extends QueuertError {
  readonly code = "QUEUERT_QUERY_TIMEOUT" as const;
  readonly operation: string;
  readonly timeoutMs: number;

  constructor(operation: string, timeoutMs: number, options?: ErrorOptions) {
    super(
      `${operation} took longer than ${timeoutMs} ms. Narrow the filter by \`since:\` or \`status:\`, or raise \`queryTimeoutMs\`.`,
      options,
    );
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** The operator may only read. */
export class ReadOnlyOperatorError extends QueuertError {
  readonly code = "QUEUERT_READ_ONLY_OPERATOR" as const;
  readonly operation: string;

  constructor(operation: string, options?: ErrorOptions) {
    super(
      `${operation} was refused: this operator was created with \`readOnly: true\`. Use one that may write.`,
      options,
    );
    this.operation = operation;
  }
}
