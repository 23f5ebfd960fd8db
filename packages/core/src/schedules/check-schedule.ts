// The user's options of a schedule, checked and with their defaults. A wrong one is refused when the schedule is stored, not
// when it should tick at night.
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, InvalidScheduleError } from "../errors.ts";
import { checkNewJob } from "../lifecycle/new-job.ts";
import { assertObject } from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import type { ScheduleCatchUp, ScheduleOverlap } from "../public-types/schedules.ts";
import { parseCron } from "./cron.ts";
import { createNextTick, type TickSpec } from "./next-tick.ts";
import type { ScheduleFields } from "./stored-schedule.ts";
import { timeZoneOf } from "./time-zone.ts";

const timingNames = ["cron", "timeZone", "everyMs", "anchor"];

const optionNames = [
  "name",
  "typeName",
  "input",
  ...timingNames,
  "overlap",
  "catchUp",
  "graceMs",
  "jitterMs",
  "priority",
  "startsAt",
  "endsAt",
];

const everyMsMin = 1_000;
const graceMsDefault = 60_000;

/** Checks the options of one schedule, and serialises its input. */
export const checkSchedule = async (
  engine: Engine,
  name: string,
  options: object,
): Promise<ScheduleFields> => {
  assertKnownOptions(options, optionNames, `schedule "${name}": `);
  const given = options as Readonly<Record<string, unknown>>;
  const spec = checkTiming(given, name);
  const { typeName, input, priority } = given;
  const job = await checkNewJob(engine, {
    // Their types are checked there.
    typeName: typeName as string,
    input,
    priority: priority as number | undefined,
  });
  engine.registry.assertEntry(job.typeName);
  return {
    typeName: job.typeName,
    input: job.input,
    priority: job.priority,
    spec,
    overlap: checkOverlap(given["overlap"], name),
    catchUp: checkCatchUp(given["catchUp"], "latest", name),
    graceMs: checkMs(given["graceMs"] ?? graceMsDefault, "graceMs", 0, name),
    jitterMs: checkMs(given["jitterMs"] ?? 0, "jitterMs", 0, name),
  };
};

/** Checks `cron` or `everyMs` with the options that belong to it. */
export const checkTiming = (
  given: Readonly<Record<string, unknown>>,
  schedule?: string | undefined,
): TickSpec => {
  const { cron, everyMs, timeZone, anchor } = given;
  const fail = (field: string, remedy: string): never => {
    throw new InvalidScheduleError(field, given[field], remedy, { schedule });
  };
  if ((cron === undefined) === (everyMs === undefined)) {
    fail("cron", "give exactly one of `cron` and `everyMs`");
  }
  if (cron === undefined && timeZone !== undefined) {
    fail("timeZone", "an interval has no time zone: leave it out, or give `cron`");
  }
  if (cron !== undefined && anchor !== undefined) {
    fail("anchor", "a cron expression has no anchor: leave it out, or give `everyMs`");
  }
  const startsAt = checkInstant(given["startsAt"], "startsAt", schedule);
  const endsAt = checkInstant(given["endsAt"], "endsAt", schedule);
  if (startsAt !== null && endsAt !== null && endsAt < startsAt) {
    fail("endsAt", "give an instant after `startsAt`");
  }
  const spec: TickSpec = {
    cron: cron === undefined ? null : checkCron(cron, schedule),
    timeZone: checkTimeZone(timeZone ?? "UTC", schedule),
    everyMs: everyMs === undefined ? null : checkMs(everyMs, "everyMs", everyMsMin, schedule),
    anchor: checkInstant(anchor, "anchor", schedule) ?? 0,
    startsAt,
    endsAt,
  };
  if (createNextTick(spec)(0) === null) fail("endsAt", "it comes before the first tick");
  return spec;
};

const checkCron = (cron: unknown, schedule: string | undefined): string => {
  parseCron(cron, schedule);
  // Only a string passes.
  return (cron as string).trim();
};

const checkTimeZone = (timeZone: unknown, schedule: string | undefined): string => {
  const remedy = 'give an IANA time zone that this process knows, such as "Europe/Berlin"';
  if (typeof timeZone !== "string" || timeZone === "") {
    throw new InvalidScheduleError("timeZone", timeZone, remedy, { schedule });
  }
  try {
    timeZoneOf(timeZone);
  } catch (error) {
    throw new InvalidScheduleError("timeZone", timeZone, remedy, { schedule, cause: error });
  }
  return timeZone;
};

const checkInstant = (
  instant: unknown,
  field: string,
  schedule: string | undefined,
): number | null => {
  if (instant === undefined || instant === null) return null;
  const ms = instant instanceof Date ? instant.getTime() : Number.NaN;
  if (ms >= 0 && ms <= limits.scheduledAtMax) return ms;
  const remedy = "give a valid Date between the years 1970 and 9999";
  throw new InvalidScheduleError(field, instant, remedy, { schedule });
};

const checkMs = (ms: unknown, field: string, min: number, schedule: string | undefined): number => {
  const isWhole = typeof ms === "number" && Number.isInteger(ms);
  if (isWhole && ms >= min && ms <= limits.delayMsMax) return ms;
  const remedy = `give whole milliseconds, from ${min} to 100 years`;
  throw new InvalidScheduleError(field, ms, remedy, { schedule });
};

const overlaps: readonly unknown[] = ["skip", "allow", "bufferOne", "cancelRunning"];

export const checkOverlap = (overlap: unknown = "skip", schedule?: string): ScheduleOverlap => {
  // One of the names above.
  if (overlaps.includes(overlap)) return overlap as ScheduleOverlap;
  const remedy = 'give "skip", "allow", "bufferOne" or "cancelRunning"';
  throw new InvalidScheduleError("overlap", overlap, remedy, { schedule });
};

export const checkCatchUp = (
  given: unknown,
  byDefault: ScheduleCatchUp,
  schedule?: string,
): ScheduleCatchUp => {
  const catchUp = given ?? byDefault;
  if (catchUp === "latest" || catchUp === "skip") return catchUp;
  const remedy = 'give "latest", "skip" or `{ withinMs }`';
  if (typeof catchUp !== "object") {
    throw new InvalidScheduleError("catchUp", catchUp, remedy, { schedule });
  }
  assertKnownOptions(catchUp, ["withinMs"], "catchUp.");
  const { withinMs } = catchUp as { readonly withinMs?: unknown };
  return { withinMs: checkMs(withinMs, "catchUp.withinMs", 0, schedule) };
};

/** The options of `previewSchedule`. */
export const checkPreview = (
  options: unknown,
): { readonly spec: TickSpec; readonly count: number; readonly from: number | null } => {
  assertObject(options, "options");
  assertKnownOptions(options, [...timingNames, "count", "from"]);
  const given = options as Readonly<Record<string, unknown>>;
  const { count = 10 } = given;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > 1_000) {
    throw new InvalidOptionError("count", count, "give a whole number from 1 to 1000");
  }
  return { spec: checkTiming(given), count, from: checkInstant(given["from"], "from", undefined) };
};
