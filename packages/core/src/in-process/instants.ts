import { limits } from "../defaults.ts";
import type { ScheduleOptions } from "../model/schedule.ts";

/** An instant that every date can hold, after any finite duration. */
export const after = (now: number, durationMs: number): number =>
  Math.min(Math.max(now + durationMs, 0), limits.scheduledAtMax);

export const toInstant = (schedule: ScheduleOptions, now: number): number =>
  schedule.at === undefined ? after(now, schedule.afterMs) : schedule.at.getTime();

/** The milliseconds until an instant, rounded up and limited to those of a timer. */
export const remainingMs = (time: number, now: number): number =>
  Math.min(Math.max(Math.ceil(time - now), 0), limits.timerMsMax);
