// The offsets of a time zone, from `Intl`: no table of our own. A year's transitions are searched once, day by day, and
// kept. The arithmetic of a tick then needs whole numbers only.

const dayMs = 86_400_000;
const secondMs = 1_000;

/** A stretch of time with one offset: local time is UTC plus `offset`, in milliseconds. */
export interface ZoneSegment {
  readonly start: number;
  /** Not part of it. */
  readonly end: number;
  readonly offset: number;
  /** The offset before `start`. */
  readonly previousOffset: number;
}

/** An IANA time zone as this process knows it. */
export interface TimeZone {
  /** The segment of an instant. Without a transition nearby it ends in a later year with the same offset. */
  segmentAt(instant: number): ZoneSegment;
}

interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const zones = new Map<string, TimeZone>();

/** Throws a `RangeError` if this process does not know the zone. */
export const timeZoneOf = (name: string): TimeZone => {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = createTimeZone(name);
    zones.set(name, zone);
  }
  return zone;
};

const createTimeZone = (name: string): TimeZone => {
  const offsetAt = createOffsetAt(name);
  const years = new Map<number, readonly Transition[]>();
  const transitionsIn = (year: number): readonly Transition[] => {
    let found = years.get(year);
    if (found === undefined) {
      found = findTransitions(offsetAt, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
      years.set(year, found);
    }
    return found;
  };

  return {
    segmentAt: (instant) => {
      const year = new Date(instant).getUTCFullYear();
      // The year before as well: a repeated hour may reach over the end of a year.
      const near = [year - 1, year, year + 1].flatMap(transitionsIn);
      const last = near.findLast(({ at }) => at <= instant);
      const next = near.find(({ at }) => at > instant);
      const offset = last?.after ?? next?.before ?? offsetAt(instant);
      return {
        start: last?.at ?? Date.UTC(year - 1, 0, 1),
        end: next?.at ?? Date.UTC(year + 2, 0, 1),
        offset,
        previousOffset: last?.before ?? offset,
      };
    },
  };
};

/** Between two days at most one transition is searched for: none were ever closer than some weeks. */
const findTransitions = (
  offsetAt: (instant: number) => number,
  from: number,
  to: number,
): readonly Transition[] => {
  const found: Transition[] = [];
  let before = offsetAt(from);
  for (let day = from; day < to; day += dayMs) {
    const after = offsetAt(day + dayMs);
    if (after !== before)
      found.push({ at: changeBetween(offsetAt, day, day + dayMs), before, after });
    before = after;
  }
  return found;
};

/** The first second whose offset is that of `to`. */
const changeBetween = (offsetAt: (instant: number) => number, from: number, to: number): number => {
  const offset = offsetAt(to);
  let low = from / secondMs;
  let high = to / secondMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * secondMs) === offset) high = middle;
    else low = middle;
  }
  return high * secondMs;
};

const createOffsetAt = (timeZone: string): ((instant: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (instant) => {
    const found = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(instant));
    if (found === null) throw new RangeError(`No offset is known for time zone ${timeZone}`);
    const [, sign, hours = 0, minutes = 0, seconds = 0] = found;
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * secondMs;
    return sign === "-" ? -ms : ms;
  };
};
