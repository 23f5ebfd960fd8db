import type { JobTypes } from "../job-types/define-job-types.ts";
import type { DeclaredSchedules, ScheduleDefinition } from "../public-types/schedules.ts";

/**
 * Defines schedules by name, for `createQueuert({ schedules: { declared } })`:
 *
 * ```ts
 * const schedules = defineSchedules(jobTypes, {
 *   nightly: { typeName: "report", input: {}, cron: "30 2 * * *", timeZone: "Europe/Berlin" },
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
