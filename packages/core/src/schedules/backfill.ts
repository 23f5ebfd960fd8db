// Instants of the past that a schedule has not started: they are started by a user at once, or by an operator in steps.
import type { StateTick, TickPlace } from "../adapters/state-adapter-schedules.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, ScheduleNotFoundError, TooManyTicksError } from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import { assertInstant } from "../model/schedule.ts";
import type { ScheduleOverlap } from "../public-types/schedules.ts";
import { checkOverlap } from "./check-schedule.ts";
import { changeSchedules, holdSchedules } from "./hold-schedules.ts";
import { createNextTick, ticksBetween } from "./next-tick.ts";
import { storeTicks } from "./store-ticks.ts";
import { fromStateSchedule, type HeldSchedule } from "./stored-schedule.ts";

/** Instants of one backfill. */
const backfillMax = 10_000;

/** Ticks of one statement. */
const sliceMax = 1_000;

interface RangeOptions {
  readonly name?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Default of `overlap`: `"allow"`. */
interface BackfillOptions extends RangeOptions {
  readonly overlap?: unknown;
}

/** From `from`, inclusive, to `to`, exclusive. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
}

export const backfillSchedule = async (
  engine: Engine,
  context: object | undefined,
  options: BackfillOptions,
): Promise<{ readonly startedCount: number }> => {
  const { name, range } = checkRange(options);
  const overlap = checkOverlap(options.overlap ?? "allow");
  return changeSchedules(engine, {
    operation: "backfillSchedule",
    context,
    run: (tx) => backfill(engine, tx, { name, range, overlap }),
  });
};

const checkRange = ({
  name,
  from,
  to,
}: RangeOptions): { readonly name: string; readonly range: Range } => {
  assertName(name, "name");
  assertInstant(from, "from");
  assertInstant(to, "to");
  // Checked to be dates.
  return { name, range: { from: from as Date, to: to as Date } };
};

const assertPast = (to: Date, now: number): void => {
  if (to.getTime() > now) throw new InvalidOptionError("to", to, "give an instant of the past");
};

interface Backfill {
  readonly name: string;
  readonly range: Range;
  readonly overlap: ScheduleOverlap;
}

const backfill = async (
  engine: Engine,
  context: object,
  { name, range, overlap }: Backfill,
): Promise<{ readonly startedCount: number }> => {
  const { now, schedules } = await holdSchedules(engine, context, [name]);
  let [held] = schedules;
  assertPast(range.to, now);
  const handled = await readHandled(engine, context, name, range);
  let startedCount = 0;
  const all = held === undefined ? [] : instantsOf(held, range);
  for (const instants of sliced(all.filter((at) => !handled.has(at)))) {
    if (held === undefined) break;
    const ticks = instants.map((at) => ({ at, kind: "backfill" as const }));
    const stored = await storeTicks(engine, context, now, [{ held, ticks, missed: [], overlap }]);
    startedCount += stored.ticks.filter(({ outcome }) => outcome === "started").length;
    [held] = stored.held;
  }
  return { startedCount };
};

const instantsOf = ({ name, state }: HeldSchedule, { from, to }: Range): readonly number[] => {
  const next = createNextTick(state.spec);
  const all = ticksBetween(next, from.getTime() - 1, to.getTime() - 1, backfillMax + 1);
  if (all.length > backfillMax) throw new TooManyTicksError(name, backfillMax);
  return all;
};

/** The instants of the range whose ticks have an outcome other than `missed`. */
export const readHandled = async (
  { state }: Pick<Engine, "state">,
  context: object | undefined,
  scheduleName: string,
  { from, to }: Range,
): Promise<ReadonlySet<number>> => {
  const handled = new Set<number>();
  for (let after: TickPlace | null = null; ;) {
    const limit = limits.listLimitMax;
    const place: TickPlace | null = after;
    const params = { context, scheduleName, from, to, after: place, order: "asc", limit } as const;
    const page: readonly StateTick[] = await state.listScheduleTicks(params);
    for (const { kind, outcome, tickAt } of page) {
      if (kind !== "manual" && outcome !== "missed") handled.add(tickAt.getTime());
    }
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return handled;
    after = { tickAt: last.tickAt, isManual: last.kind === "manual" };
  }
};

const sliced = (instants: readonly number[]): readonly (readonly number[])[] => {
  const slices: (readonly number[])[] = [];
  for (let from = 0; from < instants.length; from += sliceMax) {
    slices.push(instants.slice(from, from + sliceMax));
  }
  return slices;
};

/** The instants of a range, as an operator looks at them before they are started. */
export interface BackfillLook {
  /** Changes with the timing of the schedule. */
  readonly timing: string;
  /** Not started yet, oldest first. */
  readonly open: readonly number[];
  /** Those of the range that were started or left out before. */
  readonly handled: readonly number[];
}

/** Looks without a lock. `now` is the store's. */
export const readBackfill = async (
  engine: Pick<Engine, "state">,
  options: RangeOptions,
  now: Date,
): Promise<BackfillLook> => {
  const { name, range } = checkRange(options);
  assertPast(range.to, now.getTime());
  const one = { context: undefined, names: [name], isDeclared: null, afterName: null, limit: 1 };
  const [stored] = await engine.state.listSchedules(one);
  if (stored === undefined) throw new ScheduleNotFoundError(name);
  const held = fromStateSchedule(stored);
  const all = instantsOf(held, range);
  const handled = await readHandled(engine, undefined, name, range);
  return {
    timing: timingOf(held),
    open: all.filter((at) => !handled.has(at)),
    handled: all.filter((at) => handled.has(at)),
  };
};

const timingOf = ({ state }: HeldSchedule): string => JSON.stringify(state.spec);

/** One step of a backfill that an operator has looked at. */
export interface BackfillStep {
  readonly name: string;
  /** That of the look. */
  readonly timing: string;
  readonly overlap: ScheduleOverlap;
  /** Oldest first. */
  readonly instants: readonly number[];
}

/** The outcome of each instant of a step, in order. */
export type BackfillOutcome = StateTick["outcome"] | "handled_before" | "schedule_changed";

/** Starts the instants of a step in one transaction. A schedule with another timing than that of the look starts none. */
export const backfillStep = async (
  engine: Engine,
  { name, timing, overlap, instants }: BackfillStep,
): Promise<readonly BackfillOutcome[]> =>
  changeSchedules(engine, {
    operation: "backfillSchedule",
    context: undefined,
    run: async (context) => {
      const { now, schedules } = await holdSchedules(engine, context, [name]);
      const [held] = schedules;
      if (held === undefined || timingOf(held) !== timing) {
        return instants.map(() => "schedule_changed");
      }
      const handled = await readHandled(engine, context, name, spanOf(instants));
      const ticks = instants
        .filter((at) => !handled.has(at))
        .map((at) => ({ at, kind: "backfill" as const }));
      if (ticks.length === 0) return instants.map(() => "handled_before");
      const request = { held, ticks, missed: [], overlap };
      const stored = await storeTicks(engine, context, now, [request]);
      // A tick that was buffered before may have started with them.
      const own = stored.ticks.filter(({ kind }) => kind === "backfill");
      const outcomes = new Map(own.map(({ tickAt, outcome }) => [tickAt.getTime(), outcome]));
      return instants.map((at) => outcomes.get(at) ?? "handled_before");
    },
  });

const spanOf = (instants: readonly number[]): Range => {
  const [first = 0] = instants;
  return { from: new Date(first), to: new Date((instants.at(-1) ?? first) + 1) };
};
