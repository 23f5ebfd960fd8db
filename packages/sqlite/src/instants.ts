import { limits, type ScheduleOptions } from "queuert/internal";

/** An instant as it is stored: whole milliseconds, limited to those that every date can hold. */
export const toInstant = (ms: number): number =>
  Math.round(Math.min(Math.max(ms, 0), limits.scheduledAtMax));

/** The due time of a schedule. Without a schedule it is now. */
export const dueAt = (schedule: ScheduleOptions | null, now: number): number => {
  if (schedule === null) return now;
  return schedule.at === undefined
    ? toInstant(now + schedule.afterMs)
    : Math.round(schedule.at.getTime());
};

export const toTimerMs = (ms: number): number =>
  Math.min(Math.max(Math.ceil(ms), 0), limits.timerMsMax);
