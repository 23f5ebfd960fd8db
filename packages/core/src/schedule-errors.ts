// Errors about schedules, refused before anything is written.
import { describeValue } from "./model/describe-error.ts";
import { QueuertError } from "./queuert-error.ts";

/** A field of a schedule whose value has no meaning, or that this process cannot compute. */
export class InvalidScheduleError extends QueuertError {
  readonly code = "QUEUERT_INVALID_SCHEDULE" as const;
  /** The field, such as `cron` or `timeZone`. */
  readonly field: string;
  /** The schedule, where its name is known. */
  readonly schedule: string | undefined;
  readonly remedy: string;

  constructor(
    field: string,
    value: unknown,
    remedy: string,
    options?: ErrorOptions & { readonly schedule?: string | undefined },
  ) {
    const owner = options?.schedule === undefined ? "" : ` of schedule "${options.schedule}"`;
    super(`\`${field}\`${owner} is ${describeValue(value)}: ${remedy}.`, options);
    this.field = field;
    this.schedule = options?.schedule;
    this.remedy = remedy;
  }
}

/** No schedule of this name is stored. */
export class ScheduleNotFoundError extends QueuertError {
  readonly code = "QUEUERT_SCHEDULE_NOT_FOUND" as const;
  readonly schedule: string;

  constructor(schedule: string, options?: ErrorOptions) {
    super(
      `Schedule "${schedule}" does not exist: it was deleted, or never stored. Nothing was written.`,
      options,
    );
    this.schedule = schedule;
  }
}

/** A backfill has more ticks than one call takes. Nothing was written. */
export class TooManyTicksError extends QueuertError {
  readonly code = "QUEUERT_TOO_MANY_TICKS" as const;
  readonly schedule: string;
  readonly limit: number;

  constructor(schedule: string, limit: number, options?: ErrorOptions) {
    super(
      `Schedule "${schedule}" has more than ${limit} ticks in this range. ` +
        "Divide the range among several calls.",
      options,
    );
    this.schedule = schedule;
    this.limit = limit;
  }
}
