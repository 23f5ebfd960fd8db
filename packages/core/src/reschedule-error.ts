// The way in which `rescheduleJob` leaves a process function.
import type { ScheduleOptions } from "./model/schedule.ts";
import { QueuertError } from "./queuert-error.ts";

/** The jobs that wait together with one that asked to be run again later: those of its key, of its limit, or of its type. */
export type RescheduledScope = "key" | "limit" | "jobType";

/** Thrown by `rescheduleJob`: the attempt ends here and the job is due again later. Not a failure. */
export class RescheduleJobError extends QueuertError {
  readonly code = "QUEUERT_RESCHEDULE_JOB" as const;
  readonly schedule: ScheduleOptions;

  /** The jobs that wait, too. Null: only this one waits. */
  readonly pauses: RescheduledScope | null;

  constructor(
    schedule: ScheduleOptions,
    options?: ErrorOptions,
    pauses: RescheduledScope | null = null,
  ) {
    super("The job asked to be run again later.", options);
    this.schedule = schedule;
    this.pauses = pauses;
  }
}
