import { limits } from "../defaults.ts";
import type { ScheduleOptions } from "../model/schedule.ts";

/** An instant every date can hold: any finite duration is accepted, and adding it must not leave the calendar. */
export const after = (now: number, durationMs: number): number =>
  Math.min(Math.max(now + durationMs, 0), limits.scheduledAtMax);

export const toInstant = (schedule: ScheduleOptions, now: number): number =>
  schedule.at === undefined ? after(now, schedule.afterMs) : schedule.at.getTime();

/** What is left until then, rounded up to what a timer can take. */
export const remainingMs = (time: number, now: number): number =>
  Math.min(Math.max(Math.ceil(time - now), 0), limits.timerMsMax);
