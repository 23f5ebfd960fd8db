// The clock of the store can be set, and a server that takes over can have another clock. Each acquisition brings a time of
// the store, which is compared with the clock of the process: that one never goes back. No statement is added while the
// two agree.
//
// If the store's clock went back, the worker repairs the jobs of its types until the clock has caught up.
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import type { HeldAttempts } from "../lifecycle/process-job/attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { ClockRepair } from "./repair-clock-step.ts";

export interface StoreClockOptions {
  readonly workerId: string;
  readonly processors: readonly Processor[];
  /** Held attempts: their leases are renewed here. */
  readonly attempts: HeldAttempts;
  readonly stopping: AbortSignal;
  readonly onError: (operation: string, error: unknown) => void;
}

/** A smaller difference harms no job, and can come from clocks that are adjusted slowly. */
const stepMsMin = 5_000;

/** How often jobs are made due until the clock has caught up. */
const repairIntervalMs = 10_000;

/** The time of the store minus that of this process: it lies between the two. */
interface Offset {
  readonly min: number;
  readonly max: number;
}

export class StoreClock {
  readonly #engine: Engine;
  readonly #options: StoreClockOptions;
  readonly #leaseMs: ReadonlyMap<string, number>;
  #offset: Offset | null = null;
  /** The store's clock has shown every time up to this one. */
  #shownUntil = 0;
  #repair: Promise<void> | null = null;

  constructor(engine: Engine, options: StoreClockOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#leaseMs = new Map(options.processors.map(({ typeName, leaseMs }) => [typeName, leaseMs]));
  }

  /** An acquisition that began at this time has returned. */
  acquired({ jobs, storeTime }: AcquireJobsResult, begunAt: number): void {
    const time = storeTime ?? jobs[0]?.job.lastAttemptAt;
    if (time === undefined || time === null) return;
    const shown = time.getTime();
    const now = this.#engine.clock.now();
    const before = this.#offset;
    const offset = { min: shown - now, max: shown - begunAt };
    this.#offset = before === null ? offset : narrowed(before, offset);
    const stepMs = before === null ? 0 : stepBetween(before, offset);
    if (before === null || Math.abs(stepMs) < stepMsMin) return;
    const { workerId } = this.#options;
    const typeNames = [...this.#leaseMs.keys()];
    this.#engine.observer.emit("storeClockStepped", () => ({ workerId, typeNames, stepMs }));
    if (stepMs > 0) return;
    this.#shownUntil = Math.max(this.#shownUntil, now + before.max);
    this.#repair ??= this.#repairUntilCaughtUp().finally(() => {
      this.#repair = null;
    });
  }

  /** Resolves when the statements under way have ended, once the worker is stopping. */
  async stopped(): Promise<void> {
    await this.#repair;
  }

  /** Never rejects. */
  async #repairUntilCaughtUp(): Promise<void> {
    const { workerId, attempts, stopping, onError } = this.#options;
    const repair = new ClockRepair(this.#engine, {
      ...{ workerId, attempts, stopping, leaseMs: this.#leaseMs },
      storeNow: () => this.#storeNow(),
    });
    const leaseMsMax = Math.max(...this.#leaseMs.values());
    while (!stopping.aborted && this.#storeNow() < this.#shownUntil + leaseMsMax) {
      try {
        await repair.makeDue();
        await repair.reclaim();
      } catch (error) {
        onError("make jobs due after a step of the store's clock", error);
      }
      await sleep(this.#engine.clock, repairIntervalMs, stopping);
    }
  }

  #storeNow(): number {
    return this.#engine.clock.now() + (this.#offset?.max ?? 0);
  }
}

/** How far the clock moved between two measurements: 0 if they can be of one clock. */
const stepBetween = (before: Offset, after: Offset): number => {
  if (after.max < before.min) return after.max - before.min;
  return Math.max(0, after.min - before.max);
};

/** Both measurements together. The newer one alone if they differ. */
const narrowed = (before: Offset, after: Offset): Offset =>
  stepBetween(before, after) === 0
    ? { min: Math.max(before.min, after.min), max: Math.min(before.max, after.max) }
    : after;
