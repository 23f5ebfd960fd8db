// Schedules and ticks as rows of their routines. Instants are whole milliseconds since 1970.
import type { StateSchedule, StateTick } from "queuert/internal";
import { toBoolean } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

const toDate = (ms: unknown): Date => new Date(Number(ms));

export const toStateSchedule = (row: PgRow): StateSchedule => ({
  name: String(row["name"]),
  lookAt: row["look_at"] === null ? null : toDate(row["look_at"]),
  isDeclared: toBoolean(row["is_declared"]),
  definition: String(row["definition"]),
});

/** Of a routine that also returns a row with its clock alone. */
export const splitNow = (
  rows: readonly PgRow[],
): { readonly now: Date; readonly schedules: readonly StateSchedule[] } => {
  const clock = rows.find((row) => row["now_ms"] !== null);
  const schedules = rows.filter((row) => row["now_ms"] === null).map(toStateSchedule);
  return { now: toDate(clock?.["now_ms"]), schedules };
};

export const toStateTick = (row: PgRow): StateTick => ({
  scheduleName: String(row["schedule_name"]),
  tickAt: toDate(row["tick_at"]),
  // Written by this package alone.
  kind: row["kind"] as StateTick["kind"],
  outcome: row["outcome"] as StateTick["outcome"],
  sequenceId: row["sequence_id"] as string | null,
  firedAt: toDate(row["fired_at"]),
});
