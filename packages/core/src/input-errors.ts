// Bad input, refused at the door: before anything is written.
import { describeValue } from "./model/describe-error.ts";
import { QueuertError } from "./queuert-error.ts";

/** An option whose value has no meaning. */
export class InvalidOptionError extends QueuertError {
  readonly code = "QUEUERT_INVALID_OPTION" as const;
  readonly option: string;

  constructor(option: string, value: unknown, remedy: string, options?: ErrorOptions) {
    super(`Option \`${option}\` is ${describeValue(value)}: ${remedy}.`, options);
    this.option = option;
  }
}

/** A value is larger than its limit. It was refused before anything was written. */
export class LimitExceededError extends QueuertError {
  readonly code = "QUEUERT_LIMIT_EXCEEDED" as const;
  /** The name of the option, `input`, `output`, `blockers` or `jobTypes`. */
  readonly field: string;
  readonly limit: number;
  readonly actual: number;

  constructor(
    exceeded: {
      readonly field: string;
      readonly limit: number;
      readonly actual: number;
      readonly unit: "bytes" | "characters" | "elements";
      /** How to stay within the limit. */
      readonly remedy: string;
      /** The job type that the field belongs to, if it belongs to one. */
      readonly typeName?: string;
    },
    options?: ErrorOptions,
  ) {
    const { field, limit, actual, unit, remedy, typeName } = exceeded;
    const owner = typeName === undefined ? "" : ` of job type "${typeName}"`;
    super(
      `\`${field}\`${owner} has ${actual} ${unit}, and at most ${limit} are allowed: ${remedy}.`,
      options,
    );
    this.field = field;
    this.limit = limit;
    this.actual = actual;
  }
}

/** Something in an input or an output that JSON cannot carry. */
export class NotJsonError extends QueuertError {
  readonly code = "QUEUERT_NOT_JSON" as const;
  readonly typeName: string;
  readonly part: "input" | "output";
  /** Where it is, such as `$.lines[3].price`. */
  readonly path: string;

  constructor(
    typeName: string,
    part: "input" | "output",
    path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(
      `The ${part} of job type "${typeName}" has ${problem} at ${path}, which JSON cannot carry. ` +
        "Convert it before handing it over.",
      options,
    );
    this.typeName = typeName;
    this.part = part;
    this.path = path;
  }
}

/** An input or an output that the job type's schema refuses. */
export class InvalidPayloadError extends QueuertError {
  readonly code = "QUEUERT_INVALID_PAYLOAD" as const;
  readonly typeName: string;
  readonly part: "input" | "output";
  /** The issues as the schema library reports them: they may quote the payload. */
  readonly issues: readonly unknown[];

  constructor(
    typeName: string,
    part: "input" | "output",
    issues: readonly unknown[],
    options?: ErrorOptions,
  ) {
    super(
      `The ${part} of job type "${typeName}" does not fit its schema; see \`issues\` (${issues.length}).`,
      options,
    );
    this.typeName = typeName;
    this.part = part;
    this.issues = issues;
  }
}

/** No job type of this name is defined. */
export class UnknownJobTypeError extends QueuertError {
  readonly code = "QUEUERT_UNKNOWN_JOB_TYPE" as const;
  readonly typeName: string;

  constructor(typeName: string, nearNames: readonly string[] = [], options?: ErrorOptions) {
    const near = nearNames.map((name) => `"${name}"`).join(" or ");
    super(
      `Job type "${typeName}" is not defined.` +
        (near === "" ? " Add it to `defineUnionJobTypes`." : ` Did you mean ${near}?`),
      options,
    );
    this.typeName = typeName;
  }
}

/** The job type can only be reached by continuing to it. */
export class NotAnEntryJobTypeError extends QueuertError {
  readonly code = "QUEUERT_NOT_AN_ENTRY_JOB_TYPE" as const;
  readonly typeName: string;

  constructor(typeName: string, options?: ErrorOptions) {
    super(
      `Job type "${typeName}" cannot start a sequence: it is reached by \`continueWith\` only.`,
      options,
    );
    this.typeName = typeName;
  }
}

/** The job type does not continue to the one asked for. */
export class ContinuationNotAllowedError extends QueuertError {
  readonly code = "QUEUERT_CONTINUATION_NOT_ALLOWED" as const;
  readonly fromTypeName: string;
  readonly toTypeName: string;

  constructor(fromTypeName: string, toTypeName: string, options?: ErrorOptions) {
    super(
      `Job type "${fromTypeName}" does not continue to "${toTypeName}". ` +
        "Add it to the output of the definition with `DefineContinuationOutput`.",
      options,
    );
    this.fromTypeName = fromTypeName;
    this.toTypeName = toTypeName;
  }
}

/** The blockers given are not those that the job type declares. */
export class BlockersMismatchError extends QueuertError {
  readonly code = "QUEUERT_BLOCKERS_MISMATCH" as const;
  readonly typeName: string;

  constructor(typeName: string, expected: string, actual: string, options?: ErrorOptions) {
    super(
      `Job type "${typeName}" expects ${expected} from \`startBlockers\`, but got ${actual}.`,
      options,
    );
    this.typeName = typeName;
  }
}

/** A worker implements the same job type twice. */
export class DuplicateJobTypeError extends QueuertError {
  readonly code = "QUEUERT_DUPLICATE_JOB_TYPE" as const;
  readonly typeName: string;

  constructor(typeName: string, options?: ErrorOptions) {
    super(`Job type "${typeName}" is implemented twice on one worker; remove one.`, options);
    this.typeName = typeName;
  }
}

/** A worker was started that implements nothing. */
export class EmptyWorkerError extends QueuertError {
  readonly code = "QUEUERT_EMPTY_WORKER" as const;

  constructor(options?: ErrorOptions) {
    super("The worker implements no job type: call `implementJobType` before `start`.", options);
  }
}

/** Why a cursor is refused. */
export type CursorProblem =
  /** It is no cursor. */
  | "unreadable"
  /** It was changed on its way. */
  | "changed"
  /** Another list gave it out. */
  | "other_list"
  /** The same list gave it out in the other order. */
  | "other_order";

const cursorProblems: Readonly<Record<CursorProblem, string>> = {
  unreadable: "is not one that this list gave out",
  changed: "was changed",
  other_list: "was given out by another list",
  other_order: "was given out by this list in the other order",
};

/** The cursor does not come from this list. */
export class InvalidCursorError extends QueuertError {
  readonly code = "QUEUERT_INVALID_CURSOR" as const;
  readonly reason: CursorProblem;
  /** Where the text is wrong, from 0. */
  readonly position: number;

  constructor(
    {
      reason = "unreadable",
      position = 0,
    }: { readonly reason?: CursorProblem; readonly position?: number } = {},
    options?: ErrorOptions,
  ) {
    super(
      `The cursor ${cursorProblems[reason]}, at position ${position}; start again without one.`,
      options,
    );
    this.reason = reason;
    this.position = position;
  }
}

/** The store has ended a read after its time. Nothing was written. */
export class StatementTimeoutError extends QueuertError {
  readonly code = "QUEUERT_STATEMENT_TIMEOUT" as const;
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(
      `The store ended a read after ${timeoutMs} ms; narrow it to fewer jobs, or give it more time.`,
      options,
    );
    this.timeoutMs = timeoutMs;
  }
}

/** The instance has been closed. */
export class QueuertClosedError extends QueuertError {
  readonly code = "QUEUERT_CLOSED" as const;
  readonly operation: string;

  constructor(operation: string, options?: ErrorOptions) {
    super(`${operation} was called after \`close()\`; create a new instance.`, options);
    this.operation = operation;
  }
}

/** The id that a start gives is that of a job of another type, or of a later job of a sequence. */
export class JobIdTakenError extends QueuertError {
  readonly code = "QUEUERT_JOB_ID_TAKEN" as const;
  readonly jobId: string;
  /** Of the job that has the id. */
  readonly typeName: string;
  readonly sequenceId: string;

  constructor(
    job: { readonly id: string; readonly typeName: string; readonly sequenceId: string },
    options?: ErrorOptions,
  ) {
    const place = job.id === job.sequenceId ? "" : `, in sequence ${job.sequenceId}`;
    super(
      `Id ${job.id} is that of a job of type "${job.typeName}"${place}. Nothing was started. ` +
        "Give each sequence an id of its own.",
      options,
    );
    this.jobId = job.id;
    this.typeName = job.typeName;
    this.sequenceId = job.sequenceId;
  }
}
