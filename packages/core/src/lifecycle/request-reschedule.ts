import { InvalidOptionError, RescheduleJobError } from "../errors.ts";
import type { RescheduledScope } from "../reschedule-error.ts";
import { assertSchedule, type ScheduleOptions } from "../model/schedule.ts";

/** When a job runs again, and which other jobs wait until then. */
export type RescheduleOptions = ScheduleOptions & {
  /**
   * The jobs that do not start before either, in any process. A service that asked for a rest gets it. Running jobs go on.
   * - `"key"`: those under the limit key of this job. Needs a key in `limits.jobTypes`.
   * - `"limit"`: those under its limit, of every type that shares it.
   * - `"jobType"`: those of its type.
   *
   * Needs `afterMs`. A pause that ends later stays. Default: only this job waits.
   */
  readonly pauses?: RescheduledScope | undefined;
};

/**
 * Ends the attempt from within a process function: the job is due again later. Not a failure: it uses up no attempt
 * and does not grow the backoff. A cause is stored as the job's last error.
 *
 * @example
 * ```ts
 * worker.implementJobType({
 *   typeName: "report",
 *   process: async ({ complete }) => {
 *     if (!(await isReady())) rescheduleJob({ afterMs: 60_000 });
 *     return complete(null);
 *   },
 * });
 * ```
 */
export const rescheduleJob = (options: RescheduleOptions, cause?: unknown): never => {
  assertSchedule(options);
  const { pauses, ...schedule } = options;
  if (pauses !== undefined && !scopes.includes(pauses)) {
    const names = scopes.map((scope) => `"${scope}"`).join(", ");
    throw new InvalidOptionError("pauses", pauses, `give one of ${names}, or leave it out`);
  }
  if (pauses !== undefined && schedule.afterMs === undefined) {
    throw new InvalidOptionError("pauses", pauses, "give `afterMs` with it");
  }
  const errorOptions = cause === undefined ? undefined : { cause };
  throw new RescheduleJobError(schedule, errorOptions, pauses ?? null);
};

const scopes: readonly RescheduledScope[] = ["key", "limit", "jobType"];
