// Locks schedules for a change: in the caller's transaction, or in one of its own.
import { sleep } from "../async/sleep.ts";
import { requireTransaction, runTransaction } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, ScheduleNotFoundError, TooManyTicksError } from "../errors.ts";
import { assertElementCount, assertName } from "../model/assert-option.ts";
import { schedulesChangedName } from "./schedule-changes.ts";
import { fromStateSchedule, type HeldSchedule, toStateSchedule } from "./stored-schedule.ts";

export interface Change<T> {
  /** The method that the user called, for errors. */
  readonly operation: string;
  readonly context: object | undefined;
  readonly run: (context: object) => Promise<T>;
}

/** A firing holds a schedule for milliseconds. Some stores refuse a second holder instead of waiting. */
const retryDelaysMs = [5, 20, 50, 100, 200];

/** The caller's mistakes: trying again cannot help. */
const isMistake = (error: unknown): boolean =>
  error instanceof InvalidOptionError ||
  error instanceof ScheduleNotFoundError ||
  error instanceof TooManyTicksError;

/**
 * A statement that fails has stored nothing, and its transaction is run again. A commit that fails may have been stored: its
 * error is the caller's.
 */
const runInOwnTransaction = async <T>(
  engine: Engine,
  run: (context: object) => Promise<T>,
): Promise<T> => {
  for (const delayMs of [...retryDelaysMs, null]) {
    let refusal: unknown = null;
    try {
      return await runTransaction(engine, async (context) => {
        try {
          return await run(context);
        } catch (error) {
          refusal = error;
          throw error;
        }
      });
    } catch (error) {
      if (error !== refusal || delayMs === null || isMistake(error)) throw error;
      await sleep(engine.clock, delayMs * (0.5 + engine.random()));
    }
  }
  throw new Error("The last try has returned or thrown.");
};

/** Runs a change in a transaction. After its commit, workers look at the schedules again, in every process that is notified. */
export const changeSchedules = async <T>(
  engine: Engine,
  { operation, context, run }: Change<T>,
): Promise<T> => {
  const notify = (): void => {
    engine.scheduleChanges.notify();
    engine.notifier.ownershipLost([schedulesChangedName]);
  };
  if (context === undefined) {
    const result = await runInOwnTransaction(engine, run);
    notify();
    return result;
  }
  await requireTransaction(engine, context, operation);
  // The workers find changes in an unknown transaction with their next poll.
  engine.transactions.find(context)?.effects.adopt(notify);
  return run(context);
};

export const assertNames: (names: unknown) => asserts names is readonly string[] = (names) => {
  if (!Array.isArray(names)) throw new InvalidOptionError("names", names, "give an array");
  assertElementCount(names, "names");
  for (const name of names) assertName(name, "names");
};

interface HeldSchedules {
  readonly now: number;
  readonly schedules: readonly HeldSchedule[];
}

/** Locks schedules by name. Throws if one does not exist, before anything is written. */
export const holdSchedules = async (
  { state }: Engine,
  context: object,
  names: readonly string[],
): Promise<HeldSchedules> => {
  const locked = await state.lockSchedules({ context, names });
  const schedules = locked.schedules.map((schedule, index) => {
    if (schedule === undefined) throw new ScheduleNotFoundError(names[index] ?? "");
    return fromStateSchedule(schedule);
  });
  return { now: locked.now.getTime(), schedules };
};

/** Replaces schedules that the transaction holds. */
export const replaceSchedules = async (
  { state }: Engine,
  context: object,
  now: number,
  held: readonly HeldSchedule[],
): Promise<void> => {
  const schedules = held.map((one) => ({ schedule: toStateSchedule(one, now), isNew: false }));
  await state.writeSchedules({ context, schedules });
};
