import { limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import {
  assertDurationMs,
  assertInteger,
  assertObject,
  assertPositiveMs,
} from "../model/assert-option.ts";
import { toWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** The options of one call: checked, and with every default filled in. */
export interface ProcessOnceSettings {
  /** Infinity: until nothing is due. */
  readonly budgetMs: number;
  readonly maxJobs: number;
  /** Null: 2 s, or as long as the longest attempt of the call. */
  readonly reserveMs: number | null;
  readonly worker: WorkerOptions;
}

export interface GivenProcessOnceOptions {
  readonly budgetMs?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly maxJobs?: number | undefined;
  readonly reserveMs?: number | undefined;
  readonly workerId?: string | undefined;
}

/** Checks the user's options of `processOnce`. */
export const toProcessOnceSettings = (given: GivenProcessOnceOptions): ProcessOnceSettings => {
  assertObject(given, "options");
  assertKnownOptions(given, ["budgetMs", "concurrency", "maxJobs", "reserveMs", "workerId"]);
  const { budgetMs, reserveMs } = given;
  assertPositiveMs(budgetMs as number, "budgetMs");
  if (reserveMs !== undefined) {
    assertDurationMs(reserveMs, "reserveMs");
    if (reserveMs >= (budgetMs as number)) {
      throw new InvalidOptionError("reserveMs", reserveMs, "give less than `budgetMs`");
    }
  }
  return { ...toShared(given), budgetMs: budgetMs as number, reserveMs: reserveMs ?? null };
};

/** Checks the user's options of `drain`. */
export const toDrainSettings = (given: GivenProcessOnceOptions): ProcessOnceSettings => {
  assertObject(given, "options");
  assertKnownOptions(given, ["concurrency", "maxJobs", "workerId"]);
  return { ...toShared(given), budgetMs: Infinity, reserveMs: null };
};

const toShared = ({
  concurrency,
  workerId,
  maxJobs,
}: GivenProcessOnceOptions): Pick<ProcessOnceSettings, "maxJobs" | "worker"> => {
  if (maxJobs !== undefined) {
    assertInteger(maxJobs, "maxJobs", { min: 1, max: limits.processOnceJobsMax });
  }
  return {
    maxJobs: maxJobs ?? Infinity,
    // Nothing is acquired ahead of a free slot.
    worker: toWorkerOptions({ concurrency, workerId, prefetch: 0 }, false),
  };
};
