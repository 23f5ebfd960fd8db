import { RescheduleJobError } from "../errors.ts";
import { assertSchedule, type ScheduleOptions } from "../model/schedule.ts";

/**
 * Ends the attempt from within a process function: the job is due again later. Not a failure: it uses up no attempt
 * and does not grow the backoff. A cause is stored as the job's last error.
 */
export const rescheduleJob = (schedule: ScheduleOptions, cause?: unknown): never => {
  assertSchedule(schedule);
  throw new RescheduleJobError(schedule, cause === undefined ? undefined : { cause });
};
