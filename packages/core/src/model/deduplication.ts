import { limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertDurationMs, assertName, assertObject } from "./assert-option.ts";
import { tickKeyPrefix } from "./tick.ts";
import { assertKnownOptions } from "./assert-known-options.ts";

/** Finds the sequence that holds a key, instead of starting another. Keys are per job type. */
export interface DeduplicationOptions {
  /** At most 512 characters. */
  readonly key: string;
  /**
   * `"completed"` (default): an unfinished sequence holds the key. `"all"`: a finished one too. A
   * cancelled sequence holds it under neither.
   */
  readonly strategy?: "completed" | "all" | undefined;
  /** Only sequences that were created within this time hold the key. Default: of any age. */
  readonly windowMs?: number | undefined;
  /**
   * `"find"` (default): the sequence that holds the key is returned. `"cancel"`: it is cancelled with its tree if it
   * is unfinished, and another one is started, in one transaction.
   */
  readonly whenTaken?: "find" | "cancel" | undefined;
}

/** The options with their defaults, as stores receive them. */
export interface StateDeduplication {
  readonly key: string;
  readonly strategy: "completed" | "all";
  /** Null: of any age. */
  readonly windowMs: number | null;
}

const optionNames = ["key", "strategy", "windowMs", "whenTaken"];

/** Checks the user's options and adds the defaults. */
export const toStateDeduplication = (options: DeduplicationOptions): StateDeduplication => {
  assertObject(options, "deduplication");
  assertKnownOptions(options, optionNames, "deduplication.");
  const { key, strategy = "completed", windowMs, whenTaken = "find" } = options;
  assertName(key, "deduplication.key", limits.deduplicationKeyLengthMax);
  if (key.startsWith(tickKeyPrefix)) {
    const remedy = `keys that begin with "${tickKeyPrefix}" belong to schedules: give another one`;
    throw new InvalidOptionError("deduplication.key", key, remedy);
  }
  if (strategy !== "completed" && strategy !== "all") {
    throw new InvalidOptionError("deduplication.strategy", strategy, 'give "completed" or "all"');
  }
  if (whenTaken !== "find" && whenTaken !== "cancel") {
    throw new InvalidOptionError("deduplication.whenTaken", whenTaken, 'give "find" or "cancel"');
  }
  if (windowMs !== undefined) assertDurationMs(windowMs, "deduplication.windowMs");
  return { key, strategy, windowMs: windowMs ?? null };
};
