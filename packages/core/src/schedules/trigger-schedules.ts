// Ticks that a user asks for, now.
import type { StateTick } from "../adapters/state-adapter-schedules.ts";
import type { Engine } from "../engine.ts";
import type { ScheduleOverlap, ScheduleTick } from "../public-types/schedules.ts";
import { checkOverlap } from "./check-schedule.ts";
import { assertNames, changeSchedules, holdSchedules } from "./hold-schedules.ts";
import { storeTicks, type TickRequest } from "./store-ticks.ts";
import { toScheduleTick } from "./stored-schedule.ts";

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
