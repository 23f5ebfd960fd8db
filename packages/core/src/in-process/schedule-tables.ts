// Schedules and their ticks. There is one writer at a time, so a transaction holds every schedule.
import type { StateSchedule, StateTick, TickPlace } from "../adapters/state-adapter-schedules.ts";
import { VersionedTable } from "./versioned-table.ts";

/** A place in the log of changes, to undo all changes after it. */
export interface SchedulesMark {
  readonly schedules: number;
  readonly ticks: number;
}

export class ScheduleTables {
  readonly schedules: VersionedTable<StateSchedule> = new VersionedTable();
  readonly ticks: VersionedTable<StateTick> = new VersionedTable();

  get mark(): SchedulesMark {
    return { schedules: this.schedules.mark, ticks: this.ticks.mark };
  }

  rewind(mark: SchedulesMark): void {
    this.schedules.rewind(mark.schedules);
    this.ticks.rewind(mark.ticks);
  }

  commit(): void {
    this.schedules.commit();
    this.ticks.commit();
  }
}

export const toTickPlace = ({ tickAt, kind }: StateTick): TickPlace => ({
  tickAt,
  isManual: kind === "manual",
});

/** One manual tick may stand beside another of the same instant. */
export const toTickId = (tick: StateTick): string => {
  const { tickAt, isManual } = toTickPlace(tick);
  return JSON.stringify([tick.scheduleName, tickAt.getTime(), isManual]);
};

export const comparePlaces = (one: TickPlace, other: TickPlace): number =>
  one.tickAt.getTime() - other.tickAt.getTime() || Number(one.isManual) - Number(other.isManual);

/** The order of databases, in which a text is compared by its code points. */
export const compareNames = (one: string, other: string): number => {
  const [left, right] = [[...one], [...other]];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};
