// The instants of a schedule, by arithmetic alone: no clock, no store.
import { type Cron, nextLocalTime, parseCron } from "./cron.ts";
import { type TimeZone, timeZoneOf } from "./time-zone.ts";

/** The part of a schedule that decides its instants, as it is stored. Instants are milliseconds since 1970. */
export interface TickSpec {
  readonly cron: string | null;
  readonly timeZone: string;
  readonly everyMs: number | null;
  readonly anchor: number;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

const hourMs = 3_600_000;

/** Longer gaps are missing days, whose ticks are left out. */
const gapMsMax = 3 * hourMs;

/** A leap day that is a Sunday can be forty years away. */
const searchMs = 41 * 366 * 24 * hourMs;

/** Gives the next instant after another, or null after the last one. Throws if this process cannot compute it. */
export const createNextTick = (spec: TickSpec): ((after: number) => number | null) => {
  const { everyMs, anchor, startsAt, endsAt } = spec;
  const next =
    everyMs === null
      ? createNextCronTick(parseCron(spec.cron), timeZoneOf(spec.timeZone))
      : (after: number): number => anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs;
  return (after) => {
    const found = next(startsAt === null ? after : Math.max(after, startsAt - 1));
    return found === null || (endsAt !== null && found > endsAt) ? null : found;
  };
};

/**
 * Hours by name tick once for each local time and day: in a gap at its end, in a repeated hour the first time. Hours `*`
 * tick at every real instant that matches.
 */
const createNextCronTick =
  (cron: Cron, zone: TimeZone) =>
  (after: number): number | null => {
    const first = Math.floor(after / 1_000) * 1_000 + 1_000;
    for (let cursor = first; cursor < first + searchMs;) {
      const { start, end, offset, previousOffset } = zone.segmentAt(cursor);
      let from = cursor + offset;
      if (!cron.everyHour) {
        // The local time that the clocks had reached before they were set.
        const reached = start + previousOffset;
        const gapMs = offset - previousOffset;
        const isAtGap = gapMs > 0 && gapMs <= gapMsMax && cursor === start;
        if (isAtGap && nextLocalTime(cron, reached, start + offset) !== null) return start;
        from = Math.max(from, reached);
      }
      const local = nextLocalTime(cron, from, end + offset);
      if (local !== null) return local - offset;
      cursor = end;
    }
    return null;
  };

/** The instants after `after` and up to `until`, oldest first, at most `limit`. */
export const ticksBetween = (
  next: (after: number) => number | null,
  after: number,
  until: number,
  limit: number,
): readonly number[] => {
  const found: number[] = [];
  for (let at = next(after); at !== null && at <= until && found.length < limit; at = next(at)) {
    found.push(at);
  }
  return found;
};
