import { defaults } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import type { JobTypes } from "../job-types/define-job-types.ts";
import { assertDurationMs, assertInteger, assertObject } from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import type {
  DeclaredSchedules,
  ScheduleDefinition,
  SchedulesOptions,
} from "../public-types/schedules.ts";

/**
 * Defines schedules by name, for `createQueuert({ schedules: { declared } })`.
 *
 * @example
 * ```ts
 * const schedules = defineSchedules(jobTypes, {
 *   nightly: { typeName: "report", input: null, cron: "30 2 * * *", timeZone: "Europe/Berlin" },
 * });
 * ```
 */
export const defineSchedules = <
  TDefinitions,
  const TTypeNames extends Readonly<Record<string, keyof TDefinitions & string>>,
>(
  // Only the compiler needs it: the types of inputs are those of its job types.
  _jobTypes: JobTypes<TDefinitions>,
  schedules: {
    readonly [TName in keyof TTypeNames]: ScheduleDefinition<TDefinitions, TTypeNames[TName]>;
  },
): DeclaredSchedules<TDefinitions> => ({ byName: schedules });

/** The option `schedules` of `createQueuert`, apart from the schedules themselves. */
export const assertSchedulesOptions = (options: SchedulesOptions<unknown>): void => {
  assertObject(options, "schedules");
  assertKnownOptions(options, ["declared", "revision", "prune", "ticksForMs"], "schedules.");
  const { declared, revision = 0, prune = false, ticksForMs = defaults.ticksForMs } = options;
  if (declared !== undefined && typeof declared.byName !== "object") {
    const remedy = "give the result of `defineSchedules`";
    throw new InvalidOptionError("schedules.declared", declared, remedy);
  }
  assertInteger(revision, "schedules.revision", { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (typeof prune !== "boolean") {
    throw new InvalidOptionError("schedules.prune", prune, "give true or false");
  }
  assertDurationMs(ticksForMs, "schedules.ticksForMs");
};
