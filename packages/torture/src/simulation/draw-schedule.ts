// Schedules of every policy, in time zones with and without days on which clocks are set.
import type { LoadSchedule } from "../checker/control-history.ts";
import type { DrawnSchedule } from "../load/schedule-keeper.ts";
import type { Random } from "../random.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Days on which clocks are set somewhere, and one on which they are not. */
const startDays = [
  ...["2026-03-06", "2026-03-27", "2026-04-03", "2026-04-22", "2026-10-02", "2026-10-23"],
  ...["2026-10-29", "2026-07-01"],
] as const;
const timeZones = [
  ...(["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo"] as const),
  ...(["America/Havana", "Asia/Kolkata", "Pacific/Auckland"] as const),
] as const;
const crons = [
  ...(["30 2 * * *", "0 3 * * *", "30 1 * * *", "0 0 * * *", "15 */6 * * *"] as const),
  ...([
    "*/30 * * * *",
    "0 9 * * mon-fri",
    "45 23 * * sun",
    "15 2,14 * * *",
    "0 12 1,15 * *",
  ] as const),
] as const;
const overlaps = ["skip", "allow", "bufferOne", "cancelRunning"] as const;
export const drawSchedule = (random: Random, name: string): DrawnSchedule => {
  const isCron = random.chance(0.8);
  const everyMs = random.pick([hourMs, 7 * hourMs, 25 * 60_000]);
  const withinMs = (1 + random.below(30)) * hourMs;
  return {
    name,
    spec: {
      cron: isCron ? random.pick(crons) : null,
      timeZone: isCron ? random.pick(timeZones) : "UTC",
      everyMs: isCron ? null : everyMs,
    },
    catchUp: random.pick<LoadSchedule["catchUp"]>(["latest", "skip", { withinMs }]),
    overlap: random.pick(overlaps),
    graceMs: random.pick([60_000, 10 * 60_000]),
  };
};

/** Some hours before clocks are set, or on another day. */
export const startsAt = (seed: number): number =>
  Date.parse(startDays[seed % startDays.length] ?? startDays[0]) + ((seed * 7919) % dayMs);
