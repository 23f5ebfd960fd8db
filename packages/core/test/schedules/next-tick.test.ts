// The instants of schedules, against a slow oracle: real time, walked in steps of five minutes around each transition.
import { describe, expect, it } from "vitest";
import { createNextTick, ticksBetween, type TickSpec } from "../../src/schedules/next-tick.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const stepMs = 5 * minuteMs;

const specOf = (cron: string, timeZone: string): TickSpec => ({
  cron,
  timeZone,
  everyMs: null,
  anchor: 0,
  startsAt: null,
  endsAt: null,
});

/** Far apart, and odd: half hours, midnight transitions, two date lines, Ramadan, permanent changes. */
const zones = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Caracas",
  "America/Havana",
  "America/New_York",
  "America/Sao_Paulo",
  "America/Santiago",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Amman",
  "Asia/Beirut",
  "Asia/Gaza",
  "America/Asuncion",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/Dublin",
  "Europe/Moscow",
  "Pacific/Apia",
];

interface LocalTime {
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

/** An oracle of its own: the parts of the local time, not an offset. */
const createLocalTime = (timeZone: string): ((instant: number) => LocalTime) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (instant) => {
    const found = /^(\d+-\d+-\d+), (\d+):(\d+)$/.exec(format.format(instant));
    const [, day = "", hour = "", minute = ""] = found ?? [];
    return { day, hour: Number(hour), minute: Number(minute) };
  };
};

/** Every day of 2000 to 2037 before which the local time of noon moved. */
const transitionDays = (timeZone: string): readonly number[] => {
  const localTime = createLocalTime(timeZone);
  const found: number[] = [];
  const clockAt = (instant: number): string => {
    const { hour, minute } = localTime(instant);
    return `${hour}:${minute}`;
  };
  const last = Date.UTC(2038, 0, 1);
  let before = "";
  for (let noon = Date.UTC(2000, 0, 1, 12); noon < last; noon += dayMs) {
    const clock = clockAt(noon);
    if (before !== "" && clock !== before) found.push(noon - dayMs);
    before = clock;
  }
  return found;
};

type Walked = LocalTime & { readonly at: number };

const walked = new Map<string, readonly Walked[]>();

/** The local times of the five days around a transition, in order. */
const walk = (timeZone: string, day: number): readonly Walked[] => {
  const key = `${timeZone} ${day}`;
  const known = walked.get(key);
  if (known !== undefined) return known;
  const localTime = createLocalTime(timeZone);
  const found: Walked[] = [];
  for (let at = day - 2 * dayMs; at < day + 3 * dayMs; at += stepMs) {
    found.push({ ...localTime(at), at });
  }
  walked.set(key, found);
  return found;
};

const ticksAround = (cron: string, timeZone: string, day: number): readonly number[] =>
  ticksBetween(
    createNextTick(specOf(cron, timeZone)),
    day - 2 * dayMs - 1,
    day + 3 * dayMs - 1,
    10_000,
  );

/** The instant of a local time on each whole day. In a gap: the first real instant with a later local time. */
const expectedTicks = (
  times: readonly Walked[],
  hour: number,
  minute: number,
): readonly { readonly at: number; readonly isNamed: boolean }[] => {
  const days = [...new Set(times.map((each) => each.day))].slice(1, -1);
  return days.map((day) => {
    const named = times.find(
      (each) => each.day === day && each.hour === hour && each.minute === minute,
    );
    if (named !== undefined) return { at: named.at, isNamed: true };
    const isLater = (each: Walked): boolean =>
      each.day > day || (each.day === day && each.hour * 60 + each.minute > hour * 60 + minute);
    return { at: times.find(isLater)?.at ?? 0, isNamed: false };
  });
};

describe.each(zones)("around every transition of %s", (timeZone) => {
  const days = transitionDays(timeZone);

  it("finds transitions to test", () => {
    expect(days.length).toBeGreaterThan(0);
  });

  it.each([
    ["*/30 * * * *", 1, 30],
    ["*/30 */2 * * *", 2, 30],
  ])("ticks at every real instant for %s", (cron, hours, minutes) => {
    for (const day of days) {
      const expected = walk(timeZone, day)
        .filter(({ hour, minute }) => hour % hours === 0 && minute % minutes === 0)
        .map(({ at }) => at);
      expect(ticksAround(cron, timeZone, day)).toEqual(expected);
    }
  });

  it.each([0, 1, 2, 3, 23])("ticks once in each local day for half past hour %i", (hour) => {
    for (const day of days) {
      const expected = expectedTicks(walk(timeZone, day), hour, 30);
      const [first, last] = [expected[0]?.at ?? 0, expected.at(-1)?.at ?? 0];
      const ticks = ticksAround(`30 ${hour} * * *`, timeZone, day);
      const found = ticks.filter((at) => at >= first && at <= last);
      expect(found.length, new Date(day).toISOString()).toBe(expected.length);
      expected.forEach(({ at, isNamed }, index) => {
        const tick = found[index] ?? 0;
        // Some gaps end at one minute past midnight, between two steps of the oracle.
        if (isNamed) expect(tick).toBe(at);
        else expect(at - tick).toBeLessThan(stepMs);
      });
    }
  });

  it("joins ranges: the ticks of two halves are those of the whole", () => {
    const next = createNextTick(specOf("0,20,40 1-3,12 * * *", timeZone));
    for (const day of days.slice(0, 10)) {
      const whole = ticksBetween(next, day - dayMs, day + dayMs, 10_000);
      for (let middle = day - dayMs; middle < day + dayMs; middle += 47 * minuteMs) {
        const first = ticksBetween(next, day - dayMs, middle, 10_000);
        const second = ticksBetween(next, middle, day + dayMs, 10_000);
        expect([...first, ...second]).toEqual(whole);
      }
    }
  });
});

describe("known dates", () => {
  const firstAfter = (cron: string, timeZone: string, after: string): string | undefined => {
    const at = createNextTick(specOf(cron, timeZone))(Date.parse(after));
    return at === null ? undefined : new Date(at).toISOString();
  };

  it.each([
    ["30 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-08T07:00:00.000Z"],
    ["30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-01T05:30:00.000Z"],
    ["30 1 * * *", "America/New_York", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00.000Z"],
    ["0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"],
    // The year whose 30 December Samoa left out.
    ["0 9 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z", "2012-12-29T19:00:00.000Z"],
    ["0 0 13 * 5", "UTC", "2026-11-01T00:00:00Z", "2026-11-06T00:00:00.000Z"],
    ["*/15 30 8 * * mon", "Europe/London", "2026-06-06T00:00:00Z", "2026-06-08T07:30:00.000Z"],
    ["59 59 23 31 12 *", "UTC", "2026-01-01T00:00:00Z", "2026-12-31T23:59:59.000Z"],
    ["0 0 * * sun", "UTC", "2026-11-19T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["0 0 * * 7", "UTC", "2026-11-19T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["@monthly", "Asia/Kolkata", "2026-11-19T00:00:00Z", "2026-11-30T18:30:00.000Z"],
  ])("%s in %s after %s", (cron, timeZone, after, expected) => {
    expect(firstAfter(cron, timeZone, after)).toBe(expected);
  });

  it("counts 365 nights, and every half hour, in 2026", () => {
    const from = Date.UTC(2026, 0, 1);
    const count = (cron: string, timeZone: string): number => {
      const start = createNextTick(specOf("0 0 1 1 *", timeZone))(from - dayMs) ?? 0;
      const end = createNextTick(specOf("0 0 1 1 *", timeZone))(start + dayMs) ?? 0;
      return ticksBetween(createNextTick(specOf(cron, timeZone)), start - 1, end - 1, 100_000)
        .length;
    };
    expect(count("30 2 * * *", "America/New_York")).toBe(365);
    expect(count("0 0 * * *", "Africa/Cairo")).toBe(365);
    expect(count("15 2 * * *", "Australia/Lord_Howe")).toBe(365);
    expect(count("*/30 * * * *", "Europe/Berlin")).toBe(17_520);
  });
});

describe("intervals", () => {
  const every = (spec: Partial<TickSpec>): ((after: number) => number | null) =>
    createNextTick({ ...specOf("", "UTC"), cron: null, ...spec });

  it("tick at the anchor plus whole intervals, before and after it", () => {
    const next = every({ everyMs: 1_000, anchor: 300 });
    expect([next(-1_000), next(0), next(299), next(300), next(5_300)]).toEqual([
      -700, 300, 300, 1_300, 6_300,
    ]);
  });

  it("begin and end with their bounds, which count", () => {
    const next = every({ everyMs: 1_000, startsAt: 3_000, endsAt: 5_000 });
    expect(ticksBetween(next, 0, 1e9, 100)).toEqual([3_000, 4_000, 5_000]);
  });
});
