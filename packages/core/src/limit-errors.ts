// Errors about limits, refused before anything is written.
import { describeValue } from "./model/describe-error.ts";
import { QueuertError } from "./queuert-error.ts";

/** A field of a limit whose value has no meaning, or that no job could ever meet. */
export class InvalidLimitError extends QueuertError {
  readonly code = "QUEUERT_INVALID_LIMIT" as const;
  /** The field, such as `rate.count`. */
  readonly field: string;
  /** The name of the limit, where it is known. */
  readonly limit: string | undefined;
  readonly remedy: string;

  constructor(
    field: string,
    value: unknown,
    remedy: string,
    options?: ErrorOptions & { readonly limit?: string | undefined },
  ) {
    const owner = options?.limit === undefined ? "" : ` of limit "${options.limit}"`;
    super(`\`${field}\`${owner} is ${describeValue(value)}: ${remedy}.`, options);
    this.field = field;
    this.limit = options?.limit;
    this.remedy = remedy;
  }
}

/** The key of a limit could not be derived from the input of a job. */
export class LimitKeyError extends QueuertError {
  readonly code = "QUEUERT_LIMIT_KEY" as const;
  readonly typeName: string;
  readonly reason: string;

  constructor(typeName: string, reason: string, options?: ErrorOptions) {
    super(
      `The limit key of a job of type "${typeName}" is not usable: ${reason}. ` +
        "Correct `key` in `limits.jobTypes`. Nothing was written.",
      options,
    );
    this.typeName = typeName;
    this.reason = reason;
  }
}

/** The state adapter has no limits by key. */
export class LimitsUnsupportedError extends QueuertError {
  readonly code = "QUEUERT_LIMITS_UNSUPPORTED" as const;

  constructor(options?: ErrorOptions) {
    super(
      "This state adapter has no limits by key, no shared limits and no aging. Use limits of job types, " +
        "or an adapter that has `limitKeys`. Nothing was written.",
      options,
    );
  }
}

/** A limit has the name of a job type or of a shared limit, and this name is none. */
export class UnknownLimitError extends QueuertError {
  readonly code = "QUEUERT_UNKNOWN_LIMIT" as const;
  readonly limit: string;

  constructor(limit: string, options?: ErrorOptions) {
    super(
      `Limit "${limit}" is not known: give the name of a job type, or name the limit in ` +
        "`limits.jobTypes` and declare it. Nothing was written.",
      options,
    );
    this.limit = limit;
  }
}
