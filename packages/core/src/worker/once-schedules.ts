// The schedules of one `processOnce`: those that are due when it begins, and those that become due while jobs run. Jobs are
// run whether or not schedules can be fired.
import { sleep } from "../async/sleep.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { exponentialDelayMs } from "../model/backoff.ts";
import { createFiring, firingErrorDelays, silentErrors } from "./schedule-loop.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** As many tries as find one schedule that cannot be fired, and one more. */
const errorsMax = silentErrors + 2;

/** When to look again at schedules that another process is firing, and after errors. */
const lockedMs = 25;
const failedMs = 1_000;

/** A firing that failed may leave its schedules held for a second (MongoDB). */
const ownHoldMs = 1_500;

export interface OnceFiring {
  readonly hasFired: boolean;
  /** Milliseconds until the next tick; null: there is none. */
  readonly nextInMs: number | null;
}

export class OnceSchedules {
  readonly #engine: Engine;
  readonly #onError: WorkerParts["onError"];
  #dueAt = 0;
  #hasPruned = false;

  constructor(engine: Engine, { onError }: Pick<WorkerParts, "onError">) {
    this.#engine = engine;
    this.#onError = onError;
  }

  get msUntilDue(): number {
    return Math.max(0, this.#dueAt - this.#engine.clock.now());
  }

  /** Fires the schedules that are due, until `isOver`. Never rejects. */
  async fire(isOver: () => boolean): Promise<OnceFiring> {
    const { clock, state } = this.#engine;
    const { isTransientError = () => true } = state.capabilities;
    const fire = createFiring(this.#engine);
    const failure = { count: 0, isLasting: false, looks: 0 };
    let hasFired = false;
    let nextInMs: number | null = 0;
    while (nextInMs === 0 && !isOver()) {
      try {
        nextInMs = await state.nextScheduleInMs();
        if (nextInMs !== 0) break;
        if (await fire(failure.isLasting || failure.count > silentErrors)) {
          hasFired = true;
          failure.count = 0;
          await this.#prune();
        } else if (failure.count === 0 || ++failure.looks > ownHoldMs / lockedMs) {
          nextInMs = lockedMs;
        } else await sleep(clock, lockedMs);
      } catch (error) {
        failure.isLasting ||= !isTransientError(error);
        if (++failure.count > errorsMax) {
          this.#onError("fire schedules", error);
          nextInMs = failedMs;
        } else {
          const { initialMs, multiplier, maxMs } = firingErrorDelays;
          await sleep(clock, exponentialDelayMs(failure.count, initialMs, multiplier, maxMs));
        }
      }
    }
    this.#dueAt = clock.now() + (nextInMs ?? Number.POSITIVE_INFINITY);
    return { hasFired, nextInMs };
  }

  /** A deployment may have no worker that deletes old ticks. One statement for each call that has added some. */
  async #prune(): Promise<void> {
    if (this.#hasPruned) return;
    this.#hasPruned = true;
    const { state, ticksForMs } = this.#engine;
    await state.deleteScheduleTicks({ firedForMs: ticksForMs, limit: limits.reclaimBatchMax });
  }
}
