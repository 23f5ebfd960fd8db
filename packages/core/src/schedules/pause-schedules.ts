// Deletes, pauses and resumes schedules.
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { assertName } from "../model/assert-option.ts";
import type { Schedule } from "../public-types/schedules.ts";
import { checkCatchUp } from "./check-schedule.ts";
import { assertNames, changeSchedules, holdSchedules, replaceSchedules } from "./hold-schedules.ts";
import { createNextTick } from "./next-tick.ts";
import { type HeldSchedule, type ScheduleState, toSchedule } from "./stored-schedule.ts";

/** Returns the names that existed. */
export const deleteSchedules = async (
  engine: Engine,
  context: object | undefined,
  { names }: { readonly names?: unknown },
): Promise<readonly string[]> => {
  assertNames(names);
  return changeSchedules(engine, {
    operation: "deleteSchedules",
    context,
    run: async (tx) => {
      const existed = await engine.state.deleteSchedules({ context: tx, names });
      return names.filter((_, index) => existed[index]);
    },
  });
};

export const pauseSchedules = async (
  engine: Engine,
  context: object | undefined,
  { names, note }: { readonly names?: unknown; readonly note?: unknown },
): Promise<readonly Schedule[]> => {
  assertNames(names);
  if (note !== undefined) assertName(note, "note", limits.nameLengthMax);
  return change(engine, { operation: "pauseSchedules", context, names }, (state, now) => ({
    ...state,
    pausedAt: state.pausedAt ?? now,
    pauseNote: note === undefined ? state.pauseNote : note,
  }));
};

export const resumeSchedules = async (
  engine: Engine,
  context: object | undefined,
  { names, catchUp: given }: { readonly names?: unknown; readonly catchUp?: unknown },
): Promise<readonly Schedule[]> => {
  assertNames(names);
  const catchUp = checkCatchUp(given, "skip");
  return change(engine, { operation: "resumeSchedules", context, names }, (state, now) => {
    if (state.pausedAt === null) return state;
    const resumed = { ...state, pausedAt: null, pauseNote: null, retryAt: null };
    return catchUp === "skip"
      ? { ...resumed, nextAt: createNextTick(state.spec)(now), catchUpOnce: null }
      : { ...resumed, catchUpOnce: catchUp };
  });
};

const change = async (
  engine: Engine,
  {
    operation,
    context,
    names,
  }: {
    readonly operation: string;
    readonly context: object | undefined;
    readonly names: readonly string[];
  },
  toChanged: (state: ScheduleState, now: number) => ScheduleState,
): Promise<readonly Schedule[]> =>
  changeSchedules(engine, {
    operation,
    context,
    run: async (tx) => {
      const { now, schedules } = await holdSchedules(engine, tx, names);
      const changed = schedules.map(({ name, state }): HeldSchedule => ({
        name,
        state: { ...toChanged(state, now), updatedAt: now },
      }));
      await replaceSchedules(engine, tx, now, changed);
      return changed.map((held) => toSchedule(engine.codec, held));
    },
  });
