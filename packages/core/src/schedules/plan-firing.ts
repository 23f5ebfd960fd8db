// Decides which instants of a schedule are due, and which of them start: no clock and no store.
import type { ScheduleCatchUp } from "../public-types/schedules.ts";
import { createNextTick } from "./next-tick.ts";
import type { ScheduleState } from "./stored-schedule.ts";

export interface FiringPlan {
  /** The instants to start, oldest first. */
  readonly kept: readonly number[];
  /** Late instants that the catch-up leaves out. */
  readonly missed: readonly number[];
  readonly nextAt: number | null;
  /** There are more due instants than were asked for. */
  readonly isCut: boolean;
}

/**
 * The due instants of a schedule, at most `limit`, without those that were handled before. Throws if this process cannot compute
 * them.
 */
export const planFiring = (
  state: ScheduleState,
  now: number,
  limit: number,
  handled: ReadonlySet<number>,
): FiringPlan => {
  const { graceMs, catchUp, catchUpOnce } = state;
  const next = createNextTick(state.spec);
  const due: number[] = [];
  let at = state.nextAt;
  for (; at !== null && at <= now && due.length < limit; at = next(at)) due.push(at);
  const isCut = at !== null && at <= now;
  const newest = isCut ? null : (due.at(-1) ?? null);
  const rule = catchUpOnce ?? catchUp;
  const isKept = (tick: number): boolean =>
    now - tick <= graceMs || isCaughtUp(rule, now - tick, tick === newest);
  const open = due.filter((tick) => !handled.has(tick));
  return {
    kept: open.filter(isKept),
    missed: open.filter((tick) => !isKept(tick)),
    nextAt: at,
    isCut,
  };
};

const isCaughtUp = (rule: ScheduleCatchUp, lateMs: number, isNewest: boolean): boolean => {
  if (rule === "latest") return isNewest;
  return rule !== "skip" && lateMs <= rule.withinMs;
};

/**
 * The delay of a job by its schedule's jitter: always the same for the same instant, so that a repeated firing changes
 * nothing. It ends before the next instant.
 */
export const jitterOf = (name: string, at: number, state: ScheduleState): number => {
  if (state.jitterMs === 0) return 0;
  const next = createNextTick(state.spec)(at);
  const range = Math.min(state.jitterMs, next === null ? state.jitterMs : next - at - 1);
  return Math.floor((hash(`${name}@${at}`) / 2 ** 32) * range);
};

/** FNV-1a with a final mix, of 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
};
