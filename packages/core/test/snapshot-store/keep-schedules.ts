// Step 7 of the page: schedules and their ticks. A transaction holds the only writer, and with it every schedule.
import type { StateSchedule, StateTick, TickPlace } from "queuert/internal";
import type { Data, Database, Method, ScheduleRow, TickRow } from "./snapshot.ts";

const toRow = ({ lookAt, ...schedule }: StateSchedule): ScheduleRow => ({
  ...schedule,
  lookAt: lookAt?.getTime() ?? null,
});

const toSchedule = ({ lookAt, ...row }: ScheduleRow): StateSchedule => ({
  ...row,
  lookAt: lookAt === null ? null : new Date(lookAt),
});

const schedulesOf = ({ schedules }: Data): readonly ScheduleRow[] => Object.values(schedules);

export const nextScheduleInMs =
  (database: Database): Method<"nextScheduleInMs"> =>
  async () =>
    database.read(undefined, (data, now) => {
      const looks = schedulesOf(data).flatMap(({ lookAt }) => lookAt ?? []);
      return looks.length === 0 ? null : Math.max(0, Math.min(...looks) - now);
    });

export const takeDueSchedules =
  (database: Database): Method<"takeDueSchedules"> =>
  async ({ context, limit }) =>
    database.writeInside(context, (data, now) => {
      const due = schedulesOf(data).filter(({ lookAt }) => lookAt !== null && lookAt <= now);
      const first = due.sort((left, right) => Number(left.lookAt) - Number(right.lookAt));
      return { now: new Date(now), schedules: first.slice(0, limit).map(toSchedule) };
    });

export const lockSchedules =
  (database: Database): Method<"lockSchedules"> =>
  async ({ context, names }) =>
    database.writeInside(context, ({ schedules }, now) => ({
      now: new Date(now),
      schedules: names.map((name) => {
        const row = schedules[name];
        return row && toSchedule(row);
      }),
    }));

export const writeSchedules =
  (database: Database): Method<"writeSchedules"> =>
  async ({ context, schedules }) =>
    database.writeInside(context, (data) =>
      schedules.map(({ schedule, isNew }) => {
        const isFree = data.schedules[schedule.name] === undefined;
        if (isFree === isNew) data.schedules[schedule.name] = toRow(schedule);
        return isFree === isNew;
      }),
    );

export const deleteSchedules =
  (database: Database): Method<"deleteSchedules"> =>
  async ({ context, names }) =>
    database.writeInside(context, (data) =>
      names.map((name) => {
        const exists = data.schedules[name] !== undefined;
        delete data.schedules[name];
        data.ticks = data.ticks.filter(({ scheduleName }) => scheduleName !== name);
        return exists;
      }),
    );

export const listSchedules =
  (database: Database): Method<"listSchedules"> =>
  async ({ context, names, isDeclared, afterName, limit }) =>
    database.read(context, (data) =>
      schedulesOf(data)
        .filter(({ name }) => names === null || names.includes(name))
        .filter((row) => isDeclared === null || row.isDeclared === isDeclared)
        // Bytes of UTF-8 are in the order of code points.
        .filter(({ name }) => afterName === null || compareBytes(name, afterName) > 0)
        .sort((left, right) => compareBytes(left.name, right.name))
        .slice(0, limit)
        .map(toSchedule),
    );

const compareBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

const toTickRow = ({ tickAt, firedAt, ...tick }: StateTick): TickRow => ({
  ...tick,
  tickAt: tickAt.getTime(),
  firedAt: firedAt.getTime(),
});

const toTick = ({ tickAt, firedAt, ...row }: TickRow): StateTick => ({
  ...row,
  tickAt: new Date(tickAt),
  firedAt: new Date(firedAt),
});

const placeOf = ({ tickAt, kind }: TickRow): number => 2 * tickAt + (kind === "manual" ? 1 : 0);

const isSame = (left: TickRow, right: TickRow): boolean =>
  left.scheduleName === right.scheduleName && placeOf(left) === placeOf(right);

export const recordTicks =
  (database: Database): Method<"recordTicks"> =>
  async ({ context, ticks }) =>
    database.writeInside(context, (data) =>
      ticks.map((tick) => {
        const row = toTickRow(tick);
        const stored = data.ticks.find((each) => isSame(each, row));
        if (stored && stored.outcome !== "missed" && stored.outcome !== "buffered") return false;
        data.ticks = [...data.ticks.filter((each) => each !== stored), row];
        return true;
      }),
    );

export const listScheduleTicks =
  (database: Database): Method<"listScheduleTicks"> =>
  async ({ context, scheduleName, from, to, after, order, limit }) =>
    database.read(context, ({ ticks }) => {
      const sign = order === "asc" ? 1 : -1;
      const afterPlace = ({ tickAt, isManual }: TickPlace): number =>
        2 * tickAt.getTime() + (isManual ? 1 : 0);
      return ticks
        .filter((row) => row.scheduleName === scheduleName)
        .filter(({ tickAt }) => from === null || tickAt >= from.getTime())
        .filter(({ tickAt }) => to === null || tickAt < to.getTime())
        .filter((row) => after === null || (placeOf(row) - afterPlace(after)) * sign > 0)
        .sort((left, right) => (placeOf(left) - placeOf(right)) * sign)
        .slice(0, limit)
        .map(toTick);
    });

export const deleteScheduleTicks =
  (database: Database): Method<"deleteScheduleTicks"> =>
  async ({ firedForMs, limit }) =>
    database.write(undefined, (data, now) => {
      const old = data.ticks
        .filter(({ firedAt }) => firedAt < now - firedForMs)
        .sort((left, right) => left.firedAt - right.firedAt)
        .slice(0, limit);
      data.ticks = data.ticks.filter((row) => !old.includes(row));
      return old.length;
    });
