// Ticks that a user asks for: now, or for instants of the past.
import type { StateTick, TickPlace } from "../adapters/state-adapter-schedules.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, TooManyTicksError } from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import { assertInstant } from "../model/schedule.ts";
import type { ScheduleOverlap, ScheduleTick } from "../public-types/schedules.ts";
import { checkOverlap } from "./check-schedule.ts";
import { assertNames, changeSchedules, holdSchedules } from "./hold-schedules.ts";
import { createNextTick, ticksBetween } from "./next-tick.ts";
import { storeTicks, type TickRequest } from "./store-ticks.ts";
import { type HeldSchedule, toScheduleTick } from "./stored-schedule.ts";

/** Instants of one backfill. */
const backfillMax = 10_000;

/** Ticks of one statement. */
const sliceMax = 1_000;

export const triggerSchedules = async (
  engine: Engine,
  context: object | undefined,
  { names, overlap }: { readonly names?: unknown; readonly overlap?: unknown },
): Promise<readonly ScheduleTick[]> => {
  assertNames(names);
  const given = overlap === undefined ? null : checkOverlap(overlap);
  return changeSchedules(engine, {
    operation: "triggerSchedules",
    context,
    run: async (tx) => {
      const ticks: StateTick[] = [];
      // One by one: a name that is given twice ticks twice.
      for (const name of names) ticks.push(...(await triggerOne(engine, tx, name, given)));
      return ticks.map(toScheduleTick);
    },
  });
};

const triggerOne = async (
  engine: Engine,
  context: object,
  name: string,
  overlap: ScheduleOverlap | null,
): Promise<readonly StateTick[]> => {
  const { now, schedules } = await holdSchedules(engine, context, [name]);
  const requests = schedules.map(({ state }): TickRequest => {
    // Two triggers in one millisecond are two ticks.
    const at = Math.max(now, (state.lastManualAt ?? 0) + 1);
    return {
      held: { name, state: { ...state, lastManualAt: at, updatedAt: now } },
      ticks: [{ at, kind: "manual" }],
      missed: [],
      overlap: overlap ?? state.overlap,
    };
  });
  const { ticks } = await storeTicks(engine, context, now, requests);
  // A buffered tick may have started with it.
  return ticks.filter(({ kind, tickAt }) =>
    requests.some((request) =>
      request.ticks.some((tick) => tick.kind === kind && tick.at === tickAt.getTime()),
    ),
  );
};

interface BackfillOptions {
  readonly name?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly overlap?: unknown;
}

export const backfillSchedule = async (
  engine: Engine,
  context: object | undefined,
  { name, from, to, overlap: given = "allow" }: BackfillOptions,
): Promise<{ readonly startedCount: number }> => {
  assertName(name, "name");
  assertInstant(from, "from");
  assertInstant(to, "to");
  const overlap = checkOverlap(given);
  // Checked to be dates.
  const range = { from: from as Date, to: to as Date };
  return changeSchedules(engine, {
    operation: "backfillSchedule",
    context,
    run: (tx) => backfill(engine, tx, { name, range, overlap }),
  });
};

interface Backfill {
  readonly name: string;
  readonly range: { readonly from: Date; readonly to: Date };
  readonly overlap: ScheduleOverlap;
}

const backfill = async (
  engine: Engine,
  context: object,
  { name, range, overlap }: Backfill,
): Promise<{ readonly startedCount: number }> => {
  const { now, schedules } = await holdSchedules(engine, context, [name]);
  let [held] = schedules;
  if (range.to.getTime() > now) {
    throw new InvalidOptionError("to", range.to, "give an instant of the past");
  }
  const handled = await readHandled(engine, context, name, range);
  let startedCount = 0;
  for (const instants of sliced(openInstants(held, range, handled))) {
    if (held === undefined) break;
    const ticks = instants.map((at) => ({ at, kind: "backfill" as const }));
    const stored = await storeTicks(engine, context, now, [{ held, ticks, missed: [], overlap }]);
    startedCount += stored.ticks.filter(({ outcome }) => outcome === "started").length;
    [held] = stored.held;
  }
  return { startedCount };
};

const openInstants = (
  held: HeldSchedule | undefined,
  { from, to }: Backfill["range"],
  handled: ReadonlySet<number>,
): readonly number[] => {
  if (held === undefined) return [];
  const next = createNextTick(held.state.spec);
  const all = ticksBetween(next, from.getTime() - 1, to.getTime() - 1, backfillMax + 1);
  if (all.length > backfillMax) throw new TooManyTicksError(held.name, backfillMax);
  return all.filter((at) => !handled.has(at));
};

/** The instants of the range whose ticks have an outcome other than `missed`. */
const readHandled = async (
  { state }: Engine,
  context: object,
  scheduleName: string,
  { from, to }: Backfill["range"],
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
