import { limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertDurationMs, assertName, assertObject } from "./assert-option.ts";
import { assertKnownOptions } from "./assert-known-options.ts";

/** Finds the sequence that already stands for a key instead of starting another. Keys are per job type. */
export interface DeduplicationOptions {
  readonly key: string;
  /** `"completed"` (default): an unfinished sequence stands for the key. `"all"`: a finished one too. */
  readonly strategy?: "completed" | "all" | undefined;
  /** Only sequences created within this time count; left out: however old. */
  readonly windowMs?: number | undefined;
}

/** The same, checked and filled in, as stores get it. */
export interface StateDeduplication {
  readonly key: string;
  readonly strategy: "completed" | "all";
  /** Null: however long ago. */
  readonly windowMs: number | null;
}

const optionNames = ["key", "strategy", "windowMs"];

/** Checks the user's options and fills in what was left out. */
export const toStateDeduplication = (options: DeduplicationOptions): StateDeduplication => {
  assertObject(options, "deduplication");
  assertKnownOptions(options, optionNames, "deduplication.");
  const { key, strategy = "completed", windowMs } = options;
  assertName(key, "deduplication.key", limits.deduplicationKeyLengthMax);
  if (strategy !== "completed" && strategy !== "all") {
    throw new InvalidOptionError("deduplication.strategy", strategy, 'give "completed" or "all"');
  }
  if (windowMs !== undefined) assertDurationMs(windowMs, "deduplication.windowMs");
  return { key, strategy, windowMs: windowMs ?? null };
};
