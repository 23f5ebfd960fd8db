// Fires due schedules, by any worker of any type. A schedule is locked, its ticks are stored, and its next instant is set
// in one transaction. There is no leader: another worker finds the schedule locked, or not due any more.
import { runTransaction } from "../after-commit/open-transactions.ts";
import type { StateSchedule } from "../adapters/state-adapter-schedules.ts";
import type { Engine } from "../engine.ts";
import { describeReason } from "../model/describe-error.ts";
import { type Range, readHandled } from "./backfill.ts";
import { planFiring } from "./plan-firing.ts";
import { storeTicks, type TickRequest } from "./store-ticks.ts";
import {
  fromStateSchedule,
  type HeldSchedule,
  type ScheduleState,
  toStateSchedule,
} from "./stored-schedule.ts";

/** Schedules of one transaction. */
const batchMax = 100;

/** Ticks of one transaction: the rest of a long catch-up comes in the next. */
const ticksMax = 1_000;

/** How long a schedule that cannot be fired is left to other processes. */
const retryMs = 60_000;

/** Fires up to a hundred due schedules. Returns their number. */
export const fireDueSchedules = async (engine: Engine, limit: number = batchMax): Promise<number> =>
  runTransaction(engine, async (context) => {
    const { now, schedules } = await engine.state.takeDueSchedules({ context, limit });
    await fireHeld(engine, context, now.getTime(), schedules.map(fromStateSchedule));
    return schedules.length;
  });

/**
 * Fires the first due schedule. If that fails, the schedule waits a minute: one that cannot be fired must not keep the
 * others from it.
 */
export const fireOneOrPostpone = async (
  engine: Engine,
): Promise<"fired" | "postponed" | "none"> => {
  let taken: StateSchedule | undefined;
  try {
    await runTransaction(engine, async (context) => {
      const { now, schedules } = await engine.state.takeDueSchedules({ context, limit: 1 });
      [taken] = schedules;
      await fireHeld(engine, context, now.getTime(), schedules.map(fromStateSchedule));
    });
    return taken === undefined ? "none" : "fired";
  } catch (error) {
    if (taken === undefined) throw error;
    await postpone(engine, taken.name, error);
    return "postponed";
  }
};

const postpone = async (engine: Engine, name: string, error: unknown): Promise<void> =>
  runTransaction(engine, async (context) => {
    const { now, schedules } = await engine.state.lockSchedules({ context, names: [name] });
    const [schedule] = schedules;
    if (schedule === undefined) return;
    const { state } = fromStateSchedule(schedule);
    await writeFailed(engine, context, now.getTime(), [{ name, state, error }]);
  });

/** Fires schedules that this transaction holds. Returns them as they are stored afterwards. */
export const fireHeld = async (
  engine: Engine,
  context: object,
  now: number,
  schedules: readonly HeldSchedule[],
): Promise<readonly HeldSchedule[]> => {
  if (schedules.length === 0) return [];
  const limit = Math.max(10, Math.floor(ticksMax / schedules.length));
  const requests: TickRequest[] = [];
  const failed: FailedSchedule[] = [];
  for (const held of schedules) {
    const handled = await readBackfilled(engine, context, held);
    try {
      requests.push(toRequest(held, now, limit, handled));
    } catch (error) {
      failed.push({ ...held, error });
    }
  }
  const stored = await storeTicks(engine, context, now, requests);
  return [...stored.held, ...(await writeFailed(engine, context, now, failed))];
};

/**
 * The due instants that a backfill has started or skipped, such as during a pause. Without them the firing would start one again,
 * or skip others beside it. Usually there is none, and nothing is read.
 */
const readBackfilled = async (
  engine: Engine,
  context: object,
  { name, state }: HeldSchedule,
): Promise<ReadonlySet<number>> => {
  const range = backfilledRange(state);
  return range === null ? new Set() : readHandled(engine, context, name, range);
};

/** Instants that are not fired yet, and of which a backfill has handled some. Null: there is none. */
const backfilledRange = ({
  nextAt,
  backfilledUntil = null,
}: Pick<ScheduleState, "nextAt" | "backfilledUntil">): Range | null =>
  nextAt === null || backfilledUntil === null || backfilledUntil < nextAt
    ? null
    : { from: new Date(nextAt), to: new Date(backfilledUntil + 1) };

const toRequest = (
  { name, state }: HeldSchedule,
  now: number,
  limit: number,
  handled: ReadonlySet<number>,
): TickRequest => {
  const plan = planFiring(state, now, limit, handled);
  return {
    held: { name, state: toFired(state, plan) },
    ticks: plan.kept.map((at) => ({ at, kind: "scheduled" })),
    missed: plan.missed,
    overlap: state.overlap,
  };
};

const toFired = (
  state: ScheduleState,
  { kept, missed, nextAt, isCut }: ReturnType<typeof planFiring>,
): ScheduleState => ({
  ...state,
  nextAt,
  catchUpOnce: isCut ? state.catchUpOnce : null,
  lastTickAt: Math.max(...kept, ...missed, state.lastTickAt ?? 0) || null,
  lastError: null,
  retryAt: null,
});

type FailedSchedule = HeldSchedule & { readonly error: unknown };

/** A time zone may be unknown to this process alone: the schedule is tried again, here or elsewhere. */
const writeFailed = async (
  engine: Engine,
  context: object,
  now: number,
  failed: readonly FailedSchedule[],
): Promise<readonly HeldSchedule[]> => {
  const held = failed.map(({ name, state, error }): HeldSchedule => {
    const lastError = describeReason(error);
    return { name, state: { ...state, lastError, retryAt: now + retryMs } };
  });
  const schedules = held.map((one) => ({ schedule: toStateSchedule(one, now), isNew: false }));
  await engine.state.writeSchedules({ context, schedules });
  const target = engine.transactions.find(context)?.effects ?? engine.observer;
  for (const { name, error } of failed) {
    target.emit("scheduleFailed", () => ({ schedule: name, error, retryInMs: retryMs }));
  }
  return held;
};
