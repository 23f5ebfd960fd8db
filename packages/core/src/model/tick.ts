// A tick is one instant of a schedule. The sequence that it starts carries the tick in its deduplication key. A scheduled
// instant therefore starts one sequence at most, and a job knows its tick without a column of its own.

/** `"backfill"` and `"manual"` ticks are asked for, by `backfillSchedule` and `triggerSchedules`. */
export type TickKind = "scheduled" | "manual" | "backfill";

/**
 * `"skipped"`: a sequence of the schedule was unfinished. `"buffered"`: it starts after that sequence. `"missed"`: it was
 * late, and the catch-up left it out. `"deduplicated"`: an earlier schedule of this name had started it.
 */
export type TickOutcome = "started" | "skipped" | "buffered" | "missed" | "deduplicated";

/** The tick that started a job's sequence. */
export interface JobTick {
  /** The name of the schedule. */
  readonly schedule: string;
  readonly at: Date;
  /** `"manual"`: by `triggerSchedules`. A backfilled instant is a scheduled one. */
  readonly kind: "scheduled" | "manual";
}

/** Deduplication keys that begin so belong to schedules. */
export const tickKeyPrefix = "schedule:";

export const toTickKey = ({ schedule, at, kind }: JobTick): string =>
  `${tickKeyPrefix}${kind}:${at.toISOString()}:${schedule}`;

const pattern = /^schedule:(scheduled|manual):(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z):(.+)$/su;

/** The tick that a key carries, or null for a key of the user's own. */
export const parseTickKey = (key: string | null): JobTick | null => {
  // Most jobs have no key, or another one: they cost no search.
  if (key === null || !key.startsWith(tickKeyPrefix)) return null;
  const found = pattern.exec(key);
  if (found === null) return null;
  const [, kind, at = "", schedule = ""] = found;
  return { schedule, at: new Date(at), kind: kind === "manual" ? kind : "scheduled" };
};
