// Times in pipelines: always the server's, with durations kept within what a BSON date can hold.
import { limits, type ScheduleOptions } from "queuert/internal";

/** Whole milliseconds, within what can be added to a date. */
export const clampMs = (ms: number): number =>
  Math.round(Math.max(-limits.delayMsMax, Math.min(ms, limits.delayMsMax)));

/** An instant so many milliseconds after the statement's time, as an expression. */
export const afterNow = (ms: number): object => ({ $add: ["$$NOW", clampMs(ms)] });

/** When a schedule is due, as an expression. */
export const dueExpression = (schedule: ScheduleOptions): object =>
  schedule.at === undefined ? afterNow(schedule.afterMs) : { $literal: schedule.at };

/** When a schedule is due, counted from an instant that the store gave. */
export const dueAfter = (now: Date, schedule: ScheduleOptions | null): Date => {
  if (schedule === null) return now;
  return schedule.at ?? new Date(now.getTime() + clampMs(schedule.afterMs));
};

/** Conditions on the statement's time; both can use an index. */
export const isDue = { $expr: { $lte: ["$scheduledAt", "$$NOW"] } } as const;
export const isExpired = { $expr: { $lte: ["$leasedUntil", "$$NOW"] } } as const;
