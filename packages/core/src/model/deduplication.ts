import { limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertDurationMs, assertElementCount, assertName, assertObject } from "./assert-option.ts";
import { tickKeyPrefix } from "./tick.ts";
import { assertKnownOptions } from "./assert-known-options.ts";

/** Finds the sequence that holds a key, instead of starting another. Keys are per job type. */
export interface DeduplicationOptions {
  /** At most 512 characters. */
  readonly key: string;
  /**
   * `"completed"` (default): an unfinished sequence holds the key. `"all"`: a finished one too. `"pending"`: only
   * one whose first job has not begun, so that at most one waits beside those that run. A cancelled sequence
   * holds it under none.
   */
  readonly strategy?: "completed" | "all" | "pending" | undefined;
  /**
   * With `"pending"`: the fields of the waiting job that this start overwrites. True: all of them. Default:
   * none, the first start counts.
   */
  readonly replaces?: true | readonly ReplacedField[] | undefined;
  /** With `replaces`: the latest due time of the waiting job, counted from its creation. Default: none. */
  readonly maxWaitMs?: number | undefined;
  /** Only sequences that were created within this time hold the key. Default: of any age. */
  readonly windowMs?: number | undefined;
  /**
   * `"find"` (default): the sequence that holds the key is returned. `"cancel"`: it is cancelled with its tree if it
   * is unfinished, and another one is started, in one transaction.
   */
  readonly whenTaken?: "find" | "cancel" | undefined;
  /**
   * Sequences that do not hold the key for this start, such as that of a running job which starts itself again. Default: none.
   */
  readonly excludeSequenceIds?: readonly string[] | undefined;
}

/** A field of a waiting job. */
export type ReplacedField = "input" | "schedule" | "priority";

export const replacedFields: readonly ReplacedField[] = ["input", "schedule", "priority"];

/** The options with their defaults, as stores receive them. */
export interface StateDeduplication {
  readonly key: string;
  readonly strategy: "completed" | "all" | "pending";
  /** Null: of any age. */
  readonly windowMs: number | null;
  /** Left out: none. */
  readonly excludeSequenceIds?: readonly string[] | undefined;
}

const optionNames = [
  "key",
  "strategy",
  "windowMs",
  "whenTaken",
  "replaces",
  "maxWaitMs",
  "excludeSequenceIds",
];

/** Checks the user's options and adds the defaults. */
export const toStateDeduplication = (options: DeduplicationOptions): StateDeduplication => {
  assertObject(options, "deduplication");
  assertKnownOptions(options, optionNames, "deduplication.");
  const { key, strategy = "completed", windowMs, whenTaken = "find" } = options;
  assertKey(key, "deduplication.key");
  if (strategy !== "completed" && strategy !== "all" && strategy !== "pending") {
    const remedy = 'give "completed", "all" or "pending"';
    throw new InvalidOptionError("deduplication.strategy", strategy, remedy);
  }
  if (whenTaken !== "find" && whenTaken !== "cancel") {
    throw new InvalidOptionError("deduplication.whenTaken", whenTaken, 'give "find" or "cancel"');
  }
  if (windowMs !== undefined) assertDurationMs(windowMs, "deduplication.windowMs");
  assertReplacement(options);
  const deduplication = { key, strategy, windowMs: windowMs ?? null };
  const { excludeSequenceIds } = options;
  if (excludeSequenceIds === undefined) return deduplication;
  assertExcluded(excludeSequenceIds);
  return { ...deduplication, excludeSequenceIds };
};

const assertExcluded = (ids: unknown): void => {
  const option = "deduplication.excludeSequenceIds";
  if (!Array.isArray(ids)) {
    throw new InvalidOptionError(option, ids, "give an array of ids of sequences");
  }
  assertElementCount(ids, option);
  for (const id of ids) assertName(id, option);
};

/** A key of the user's. */
export const assertKey: (key: unknown, option: string) => asserts key is string = (key, option) => {
  assertName(key, option, limits.deduplicationKeyLengthMax);
  if (!key.startsWith(tickKeyPrefix)) return;
  const remedy = `keys that begin with "${tickKeyPrefix}" belong to schedules: give another one`;
  throw new InvalidOptionError(option, key, remedy);
};

const assertReplacement = ({
  strategy,
  whenTaken = "find",
  replaces,
  maxWaitMs,
}: DeduplicationOptions): void => {
  if (strategy === "pending" && whenTaken === "cancel") {
    const remedy = '"pending" finds no sequence that runs: leave it out, or take another strategy';
    throw new InvalidOptionError("deduplication.whenTaken", whenTaken, remedy);
  }
  if (replaces !== undefined) {
    const isKnown =
      replaces === true ||
      (Array.isArray(replaces) && replaces.every((field) => replacedFields.includes(field)));
    if (!isKnown || strategy !== "pending") {
      const remedy = 'give true, or some of "input", "schedule" and "priority", with "pending"';
      throw new InvalidOptionError("deduplication.replaces", replaces, remedy);
    }
  }
  if (maxWaitMs === undefined) return;
  assertDurationMs(maxWaitMs, "deduplication.maxWaitMs");
  if (replaces !== true && replaces?.includes("schedule") !== true) {
    const remedy = "it bounds a schedule that is replaced: give `replaces` as well";
    throw new InvalidOptionError("deduplication.maxWaitMs", maxWaitMs, remedy);
  }
};
