// The instants of a schedule, minute by minute: slow, and without a line of the code that is judged.
import type { LoadSchedule } from "./control-history.ts";

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** A gap or a repeated hour is no longer than this. */
const shiftMs = 3 * 60 * minuteMs;
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

type Field = ReadonlySet<number>;

const parseField = (text: string, first: number, last: number): Field => {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "*", step = "1"] = part.split("/");
    const [from = "", to = from] = range.split("-");
    const toNumber = (word: string): number =>
      weekdays.includes(word) ? weekdays.indexOf(word) : Number(word);
    const [low, high] = range === "*" ? [first, last] : [toNumber(from), toNumber(to)];
    for (let value = low; value <= high; value += Number(step)) found.add(value);
  }
  return found;
};

const offsets = new Map<string, number>();

/** Local time is UTC plus this. Zones change at quarters of an hour. */
const offsetAt = (timeZone: string, at: number): number => {
  const quarter = Math.floor(at / quarterMs) * quarterMs;
  const key = `${timeZone}/${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const parts = formatOf(timeZone).formatToParts(quarter);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const [year, month, day] = [part("year"), part("month"), part("day")];
  const local = Date.UTC(year, month - 1, day, part("hour"), part("minute"), part("second"));
  offsets.set(key, local - quarter);
  return local - quarter;
};

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(timeZone, format);
  return format;
};

/** Whether the clocks have shown this local time before. */
const isRepeated = (timeZone: string, at: number): boolean => {
  const local = at + offsetAt(timeZone, at);
  for (let back = quarterMs; back <= shiftMs; back += quarterMs) {
    if (at - back + offsetAt(timeZone, at - back) === local) return true;
  }
  return false;
};

/** The instants of a cron expression of five fields with an offset of whole quarters. */
const cronInstants = (
  { cron, timeZone }: { readonly cron: string; readonly timeZone: string },
  from: number,
  until: number,
): readonly number[] => {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const [minutes, hours] = [parseField(minute, 0, 59), parseField(hour, 0, 23)];
  const [days, months] = [parseField(day, 1, 31), parseField(month, 1, 12)];
  const daysOfWeek = parseField(weekday, 0, 6);
  const isEveryHour = hour.startsWith("*");
  const matches = (local: number): boolean => {
    const date = new Date(local);
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) return false;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), daysOfWeek.has(date.getUTCDay())];
    return day !== "*" && weekday !== "*" ? isDay || isWeekday : isDay && isWeekday;
  };
  const found: number[] = [];
  for (let at = Math.ceil(from / minuteMs) * minuteMs; at <= until; at += minuteMs) {
    const offset = offsetAt(timeZone, at);
    const gapMs = offset - offsetAt(timeZone, at - minuteMs);
    const isInGap = (): boolean => {
      for (let back = minuteMs; back <= gapMs; back += minuteMs) {
        if (matches(at + offset - back)) return true;
      }
      return false;
    };
    if (isEveryHour) {
      if (matches(at + offset)) found.push(at);
    } else if (matches(at + offset) ? !isRepeated(timeZone, at) : gapMs <= shiftMs && isInGap()) {
      found.push(at);
    }
  }
  return found;
};

/** From `from` to `until`, both included, oldest first. */
export const instantsOf = (
  { cron, timeZone, everyMs }: LoadSchedule["spec"],
  from: number,
  until: number,
): readonly number[] => {
  if (cron !== null) return cronInstants({ cron, timeZone }, from, until);
  const found: number[] = [];
  const step = everyMs ?? Infinity;
  for (let at = Math.ceil(from / step) * step; at <= until; at += step) found.push(at);
  return found;
};
