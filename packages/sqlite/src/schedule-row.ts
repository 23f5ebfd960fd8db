// Schedules and ticks as rows, with the columns in the order of their readers.
import type { StateSchedule, StateTick } from "queuert/internal";

export const scheduleColumns = "name, look_at, is_declared, definition";

export type ScheduleRow = readonly [
  name: string,
  lookAt: number | bigint | null,
  isDeclared: number | bigint,
  definition: string,
];

export const toStateSchedule = ([
  name,
  lookAt,
  isDeclared,
  definition,
]: ScheduleRow): StateSchedule => ({
  name,
  lookAt: lookAt === null ? null : new Date(Number(lookAt)),
  isDeclared: Number(isDeclared) === 1,
  definition,
});

export const tickColumns = "schedule_name, tick_at, kind, outcome, sequence_id, fired_at";

export type TickRow = readonly [
  scheduleName: string,
  tickAt: number | bigint,
  kind: StateTick["kind"],
  outcome: StateTick["outcome"],
  sequenceId: string | null,
  firedAt: number | bigint,
];

export const toStateTick = ([
  scheduleName,
  tickAt,
  kind,
  outcome,
  sequenceId,
  firedAt,
]: TickRow): StateTick => ({
  scheduleName,
  tickAt: new Date(Number(tickAt)),
  kind,
  outcome,
  sequenceId,
  firedAt: new Date(Number(firedAt)),
});
