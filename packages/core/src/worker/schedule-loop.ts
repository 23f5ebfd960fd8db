// Any worker fires due schedules, of any job type, beside its work. An idle round is one probe of an index.
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { fireDueSchedules, fireOneOrPostpone } from "../schedules/fire-schedules.ts";
import { createWakeFlag } from "./acquire-state.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Spread, so that workers that wait for one instant do not all ask for it at once. */
const spreadMs = 25;

/** Workers that fire at once may get in each other's way: only a repeated error is one. */
export const silentErrors = 2;

export const firingErrorDelays = { initialMs: 50, multiplier: 2, maxMs: 5_000 };

const hourMs = 3_600_000;

/** Resolves after `stopping` is aborted. Never rejects. */
export const scheduleLoop = async (
  engine: Engine,
  { stopping: { signal }, options, onError }: Pick<WorkerParts, "stopping" | "options" | "onError">,
): Promise<void> => {
  const { clock, random } = engine;
  const changed = createWakeFlag(clock);
  const unlisten = engine.scheduleChanges.listen(changed.wake);
  signal.addEventListener("abort", changed.wake, { once: true });
  const pruneTicks = createTickPruning(engine);
  const fire = createFiring(engine);
  let errorCount = 0;
  while (!signal.aborted) {
    changed.clear();
    let waitMs = options.pollIntervalMs;
    try {
      const nextInMs = await engine.state.nextScheduleInMs();
      const hasFired = nextInMs === 0 && (await fire(errorCount > silentErrors));
      // All of the due schedules may be locked by other workers.
      if (nextInMs === 0) waitMs = hasFired ? 0 : spreadMs;
      else waitMs = Math.min(waitMs, nextInMs ?? waitMs);
      await pruneTicks();
      if (nextInMs !== 0 || hasFired) errorCount = 0;
    } catch (error) {
      const { initialMs, multiplier, maxMs } = firingErrorDelays;
      const delayMs = exponentialDelayMs(++errorCount, initialMs, multiplier, maxMs);
      waitMs = withJitter(delayMs, "equal", random);
      if (errorCount > silentErrors) onError("fire schedules", error);
    }
    if (signal.aborted) break;
    if (waitMs > 0) await changed.wait(waitMs + spreadMs * random());
    // A synchronous store never yields by itself.
    else await clock.yield();
  }
  unlisten();
};

/** Fires in batches. After repeated errors one by one, until the schedule that causes them is found. */
export const createFiring = (engine: Engine): ((isFailing: boolean) => Promise<boolean>) => {
  let isSingle = false;
  return async (isFailing) => {
    isSingle ||= isFailing;
    if (!isSingle) return (await fireDueSchedules(engine)) > 0;
    const outcome = await fireOneOrPostpone(engine);
    isSingle = outcome === "fired";
    return outcome !== "none";
  };
};

/** Deletes old ticks once an hour, a bounded number in each statement. */
const createTickPruning = (engine: Engine): (() => Promise<void>) => {
  const { clock, random, state, ticksForMs } = engine;
  // Spread, so that workers started together do not delete together.
  let dueAt = clock.now() + hourMs * random();
  return async () => {
    if (clock.now() < dueAt) return;
    const limit = limits.reclaimBatchMax;
    const count = await state.deleteScheduleTicks({ firedForMs: ticksForMs, limit });
    if (count < limit) dueAt = clock.now() + hourMs;
  };
};
