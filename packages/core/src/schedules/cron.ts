// Cron expressions: five fields, or six with seconds first. Their meaning is that of Vixie cron. Local times are counted in
// milliseconds, as if they were UTC.
import { InvalidScheduleError } from "../errors.ts";

/** A parsed expression. The values of a field are sorted. */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[];
  /** Both days are restricted: a day matches if either does. */
  readonly eitherDay: boolean;
  /** The hours are `*` or a step of it: every real instant counts, not the hour by name. */
  readonly everyHour: boolean;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values from `min` on. */
  readonly names?: readonly string[];
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const dayNames = "sun mon tue wed thu fri sat".split(" ");

const fields = [
  { name: "second", min: 0, max: 59 },
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: monthNames },
  { name: "day of week", min: 0, max: 7, names: dayNames },
] as const satisfies readonly Field[];

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const dayMs = 86_400_000;
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Throws `InvalidScheduleError` for text that is no expression, or that no date matches. */
export const parseCron = (text: unknown, schedule?: string): Cron => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    throw new InvalidScheduleError("cron", text, error.message, { schedule });
  }
};

/** The message is the remedy. */
class CronSyntaxError extends Error {}

const parse = (text: unknown): Cron => {
  if (typeof text !== "string") throw new CronSyntaxError("give a string, such as `0 9 * * 1-5`");
  const trimmed = text.trim().toLowerCase();
  const given = (macros.get(trimmed) ?? trimmed).split(/\s+/);
  if (given.length !== 5 && given.length !== 6) {
    const remedy =
      "give five fields (minute, hour, day of month, month, day of week), six with seconds first, or a macro " +
      `(${[...macros.keys()].join(", ")})`;
    throw new CronSyntaxError(remedy);
  }
  const parts = given.length === 5 ? ["0", ...given] : given;
  const [seconds, minutes, hours, daysOfMonth, months, daysOfWeek] = fields.map((field, index) =>
    parseField(field, parts[index] ?? ""),
  ) as [number[], number[], number[], number[], number[], number[]];
  const [, , hourText = "", dayText = "", , weekText = ""] = parts;
  const eitherDay = !dayText.startsWith("*") && !weekText.startsWith("*");
  const isPossible =
    eitherDay || months.some((month) => daysOfMonth.some((day) => day <= daysIn(month)));
  if (!isPossible) throw new CronSyntaxError("no month has this day: give a day that exists");
  return {
    seconds,
    minutes,
    hours,
    daysOfMonth,
    months,
    daysOfWeek: [...new Set(daysOfWeek.map((day) => day % 7))].sort((a, b) => a - b),
    eitherDay,
    everyHour: hourText.startsWith("*"),
  };
};

const daysIn = (month: number): number => longestMonths[month - 1] ?? 0;

const parseField = (field: Field, part: string): number[] => {
  const values = new Set<number>();
  for (const item of part.split(",")) {
    const [range = "", stepText, ...rest] = item.split("/");
    const step = stepText === undefined ? 1 : Number(stepText);
    const isStep = rest.length === 0 && Number.isInteger(step) && step >= 1;
    if (!isStep || (stepText !== undefined && !/^\d+$/.test(stepText))) {
      throw new CronSyntaxError(`the step of the ${field.name} has to be a whole number from 1 on`);
    }
    const [low, high] = parseRange(field, range, stepText !== undefined);
    for (let value = low; value <= high; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
};

const parseRange = (field: Field, range: string, hasStep: boolean): readonly [number, number] => {
  // Seven would be a second Sunday.
  const top = field.name === "day of week" ? 6 : field.max;
  if (range === "*") return [field.min, top];
  const [lowText = "", highText, ...rest] = range.split("-");
  const low = parseValue(field, lowText);
  if (highText === undefined) return [low, hasStep ? top : low];
  const last = parseValue(field, highText);
  // Sunday also ends a week.
  const high = field.name === "day of week" && last === 0 && low > 0 ? 7 : last;
  if (rest.length > 0 || high < low) {
    throw new CronSyntaxError(
      `a range of the ${field.name} goes from the smaller to the larger value`,
    );
  }
  return [low, high];
};

const parseValue = ({ name, min, max, names = [] }: Field, part: string): number => {
  const named = names.indexOf(part);
  const value = named >= 0 ? named + min : /^\d+$/.test(part) ? Number(part) : Number.NaN;
  if (value >= min && value <= max) return value;
  if (/[lw#?]/.test(part) && named < 0) {
    throw new CronSyntaxError("`L`, `W`, `#` and `?` are not known: check the date in the handler");
  }
  const orName = names.length > 0 ? `, or a name such as \`${names[1]}\`` : "";
  throw new CronSyntaxError(`give the ${name} as a number from ${min} to ${max}${orName}`);
};

/** The first matching local time from `from` on and before `before`. Both are whole seconds. */
export const nextLocalTime = (cron: Cron, from: number, before: number): number | null => {
  let day = Math.floor(from / dayMs) * dayMs;
  while (day < before) {
    const date = new Date(day);
    if (!cron.months.includes(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    const time = matchesDay(cron, date) ? nextTimeOfDay(cron, Math.max(0, from - day)) : null;
    if (time !== null) return day + time < before ? day + time : null;
    day += dayMs;
  }
  return null;
};

const matchesDay = ({ daysOfMonth, daysOfWeek, eitherDay }: Cron, date: Date): boolean => {
  const isDayOfMonth = daysOfMonth.includes(date.getUTCDate());
  const isDayOfWeek = daysOfWeek.includes(date.getUTCDay());
  return eitherDay ? isDayOfMonth || isDayOfWeek : isDayOfMonth && isDayOfWeek;
};

const nextTimeOfDay = ({ seconds, minutes, hours }: Cron, from: number): number | null => {
  for (const hour of hours) {
    const hourStart = hour * 3_600_000;
    if (hourStart + 3_600_000 <= from) continue;
    for (const minute of minutes) {
      const minuteStart = hourStart + minute * 60_000;
      if (minuteStart + 60_000 <= from) continue;
      const second = seconds.find((each) => minuteStart + each * 1_000 >= from);
      if (second !== undefined) return minuteStart + second * 1_000;
    }
  }
  return null;
};
