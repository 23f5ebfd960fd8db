import { InvalidOptionError } from "../errors.ts";
import { limits } from "../defaults.ts";
import { assertObject } from "./assert-option.ts";

/** When a job becomes due: at an instant, or so many milliseconds from now by the database's clock. */
export type ScheduleOptions =
  | { readonly at: Date; readonly afterMs?: never }
  | { readonly at?: never; readonly afterMs: number };

/** Refuses instants that no store could keep or no clock could reach, before anything is written. */
export const assertSchedule = (schedule: ScheduleOptions, option = "schedule"): void => {
  assertObject(schedule, option);
  const { at, afterMs } = schedule as { at?: unknown; afterMs?: unknown };
  if ((at === undefined) === (afterMs === undefined)) {
    throw new InvalidOptionError(option, schedule, "give exactly one of `at` and `afterMs`");
  }
  if (at !== undefined) assertInstant(at, `${option}.at`);
  else assertDelay(afterMs, `${option}.afterMs`);
};

/** A moment that every store can keep and compare with. */
export const assertInstant = (at: unknown, option: string): void => {
  if (!(at instanceof Date) || Number.isNaN(at.getTime())) {
    throw new InvalidOptionError(option, at, "give a valid Date");
  }
  if (at.getTime() < 0 || at.getTime() > limits.scheduledAtMax) {
    throw new InvalidOptionError(option, at, "give a Date between the years 1970 and 9999");
  }
};

const assertDelay = (afterMs: unknown, option: string): void => {
  if (typeof afterMs !== "number" || !Number.isFinite(afterMs) || afterMs < 0) {
    throw new InvalidOptionError(
      option,
      afterMs,
      "give a finite number of milliseconds, 0 or more",
    );
  }
  if (afterMs > limits.delayMsMax) {
    throw new InvalidOptionError(option, afterMs, "give at most 100 years of milliseconds");
  }
};
