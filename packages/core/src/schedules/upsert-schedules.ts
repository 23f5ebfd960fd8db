// Stores schedules by name, made at run time or declared in code.
import type { Engine } from "../engine.ts";
import { InvalidOptionError, InvalidScheduleError } from "../errors.ts";
import { assertElementCount, assertName, assertObject } from "../model/assert-option.ts";
import type { Schedule } from "../public-types/schedules.ts";
import { checkSchedule } from "./check-schedule.ts";
import { fireHeld } from "./fire-schedules.ts";
import { changeSchedules } from "./hold-schedules.ts";
import { createNextTick } from "./next-tick.ts";
import {
  fromStateSchedule,
  type HeldSchedule,
  type ScheduleFields,
  type ScheduleState,
  toSchedule,
  toStateSchedule,
} from "./stored-schedule.ts";

/** A checked schedule. `declaration` is null for one made at run time. */
export interface NewSchedule {
  readonly name: string;
  readonly fields: ScheduleFields;
  readonly declaration: { readonly hash: string; readonly revision: number } | null;
}

/** Another transaction may store a schedule of the same name at the same time: then its row is locked, and changed. */
const triesMax = 5;

/** `upsertSchedules` of the client. */
export const upsertSchedules = async (
  engine: Engine,
  context: object | undefined,
  given: unknown,
): Promise<readonly Schedule[]> => {
  if (!Array.isArray(given)) throw new InvalidOptionError("schedules", given, "give an array");
  assertElementCount(given, "schedules");
  const schedules: NewSchedule[] = [];
  for (const options of given as readonly unknown[]) {
    assertObject(options, "schedules");
    const { name } = options as { readonly name?: unknown };
    assertName(name, "name");
    const fields = await checkSchedule(engine, name, options);
    schedules.push({ name, fields, declaration: null });
  }
  assertDistinct(schedules);
  return changeSchedules(engine, {
    operation: "upsertSchedules",
    context,
    run: async (tx) => {
      const stored = await storeSchedules(engine, tx, schedules);
      return stored.map((held) => toSchedule(engine.codec, held));
    },
  });
};

const assertDistinct = (schedules: readonly NewSchedule[]): void => {
  const seen = new Set<string>();
  for (const { name } of schedules) {
    if (seen.has(name)) {
      throw new InvalidScheduleError("name", name, "give each name once", { schedule: name });
    }
    seen.add(name);
  }
};

/** Stores them in a transaction, and returns them as stored. */
export const storeSchedules = async (
  engine: Engine,
  context: object,
  schedules: readonly NewSchedule[],
): Promise<readonly HeldSchedule[]> => {
  const stored = new Map<string, HeldSchedule>();
  for (let tries = 0; tries < triesMax && stored.size < schedules.length; tries++) {
    const open = schedules.filter(({ name }) => !stored.has(name));
    for (const held of await storeOnce(engine, context, open)) stored.set(held.name, held);
  }
  return schedules.flatMap(({ name }) => stored.get(name) ?? []);
};

/** Leaves out the names that were taken meanwhile. */
const storeOnce = async (
  engine: Engine,
  context: object,
  schedules: readonly NewSchedule[],
): Promise<readonly HeldSchedule[]> => {
  const { state } = engine;
  const names = schedules.map(({ name }) => name);
  const locked = await state.lockSchedules({ context, names });
  const now = locked.now.getTime();
  const existing = new Map<string, HeldSchedule>();
  for (const schedule of locked.schedules) {
    if (schedule !== undefined) existing.set(schedule.name, fromStateSchedule(schedule));
  }
  for (const held of await fireBeforeChange(engine, context, now, schedules, existing)) {
    existing.set(held.name, held);
  }
  const changed = schedules.filter((each) => !isOutdated(each, existing.get(each.name)?.state));
  const held = changed.map((each): HeldSchedule => ({
    name: each.name,
    state: toState(each, existing.get(each.name)?.state, now),
  }));
  const written = await state.writeSchedules({
    context,
    schedules: held.map((one) => ({
      schedule: toStateSchedule(one, now),
      isNew: !existing.has(one.name),
    })),
  });
  const kept = schedules.flatMap((each) =>
    changed.includes(each) ? [] : (existing.get(each.name) ?? []),
  );
  return [...held.filter((_, index) => written[index] === true), ...kept];
};

/** A deployment that is older than the stored declaration changes nothing. */
const isOutdated = ({ declaration }: NewSchedule, stored: ScheduleState | undefined): boolean =>
  declaration !== null && stored !== undefined && (stored.revision ?? -1) > declaration.revision;

/** The instants that are due already belong to the old timing: they are fired before it is replaced. */
const fireBeforeChange = async (
  engine: Engine,
  context: object,
  now: number,
  schedules: readonly NewSchedule[],
  existing: ReadonlyMap<string, HeldSchedule>,
): Promise<readonly HeldSchedule[]> => {
  const fired: HeldSchedule[] = [];
  for (const each of schedules) {
    let held = existing.get(each.name);
    if (held === undefined || isOutdated(each, held.state)) continue;
    if (isSameTiming(held.state, each.fields)) continue;
    while (isDue(held.state, now)) {
      const [after] = await fireHeld(engine, context, now, [held]);
      if (after === undefined || after.state.retryAt !== null) break;
      held = after;
    }
    fired.push(held);
  }
  return fired;
};

const isDue = ({ pausedAt, retryAt, nextAt }: ScheduleState, now: number): boolean =>
  pausedAt === null && retryAt === null && nextAt !== null && nextAt <= now;

const isSameTiming = (stored: ScheduleState, { spec }: ScheduleFields): boolean =>
  JSON.stringify(stored.spec) === JSON.stringify(spec);

const toState = (
  { fields, declaration }: NewSchedule,
  stored: ScheduleState | undefined,
  now: number,
): ScheduleState => {
  const isSame = stored !== undefined && isSameTiming(stored, fields);
  return {
    catchUpOnce: null,
    buffered: null,
    openSequenceIds: [],
    lastTickAt: null,
    lastManualAt: null,
    pausedAt: null,
    pauseNote: null,
    createdAt: now,
    ...stored,
    ...fields,
    nextAt: isSame ? stored.nextAt : createNextTick(fields.spec)(now),
    lastError: null,
    retryAt: null,
    // A change at run time leaves a declared schedule with its code.
    declaredHash: declaration?.hash ?? stored?.declaredHash ?? null,
    revision: declaration?.revision ?? stored?.revision ?? null,
    updatedAt: now,
  };
};
