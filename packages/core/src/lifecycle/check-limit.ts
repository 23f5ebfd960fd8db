// Limits as users write them become limits as stores keep them. A limit that means nothing is refused here.
import { unbounded } from "../adapter-kit/limit-rules.ts";
import type { StateBounds, StateLimit, StateRate } from "../adapters/state-adapter-limits.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidLimitError, UnknownJobTypeError, UnknownLimitError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertName } from "../model/assert-option.ts";
import type { LimitBounds, LimitDefinition, LimitRate } from "../public-types/limits.ts";
import { requireLimitKeys } from "./require-limit-keys.ts";

/** `name`: a job type, or the name of a shared limit. */
export const checkLimit = (engine: Engine, name: unknown, given: unknown): StateLimit => {
  assertName(name, "name");
  assertLimitName(engine, name);
  assertBounds(name, "limit", given);
  assertKnownOptions(given, ["name", "concurrency", "rate", "perKey", "agingMs"], "limits.");
  const { perKey, agingMs } = given as LimitDefinition;
  if (perKey !== undefined) {
    assertBounds(name, "perKey", perKey);
    assertKnownOptions(perKey, ["concurrency", "rate"], "perKey.");
  }
  if (perKey !== undefined || agingMs !== undefined) requireLimitKeys(engine);
  return {
    name,
    ...checkBounds(name, given),
    perKey: perKey === undefined ? unbounded : checkBounds(name, perKey, "perKey."),
    agingMs: checkAging(name, agingMs ?? null),
  };
};

function assertBounds(limit: string, field: string, given: unknown): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  throw new InvalidLimitError(field, given, "give an object of bounds", { limit });
}

export const checkBounds = (name: string, given: object, prefix = ""): StateBounds => {
  const { concurrency, rate } = given as LimitBounds;
  return {
    concurrency: checkCount(name, concurrency ?? null, `${prefix}concurrency`, 0),
    rate: rate === undefined || rate === null ? null : checkRate(name, rate, prefix),
  };
};

const checkAging = (limit: string, agingMs: number | null): number | null => {
  if (agingMs === null || (agingMs >= 1 && agingMs <= limits.limitPerMsMax)) return agingMs;
  const remedy = `give a number of milliseconds from 1 to ${limits.limitPerMsMax}`;
  throw new InvalidLimitError("agingMs", agingMs, remedy, { limit });
};

/** That it is the name of a job type, or of a limit that job types share. */
export const assertLimitName = ({ registry, jobTypeLimits }: Engine, name: string): void => {
  if (jobTypeLimits.limitNames.has(name)) return;
  try {
    registry.assertKnown(name);
  } catch (error) {
    if (error instanceof UnknownJobTypeError) throw new UnknownLimitError(name, { cause: error });
    throw error;
  }
};

export const checkCount = <T extends number | null>(
  limit: string,
  value: T,
  field: string,
  min: number,
): T => {
  if (value === null) return value;
  const { limitCountMax: max } = limits;
  if (!Number.isInteger(value) || value < min || value > max) {
    const remedy = `give a whole number from ${min} to ${max}`;
    throw new InvalidLimitError(field, value, remedy, { limit });
  }
  return value;
};

const checkRate = (limit: string, rate: LimitRate, prefix: string): StateRate => {
  if (typeof rate !== "object") {
    throw new InvalidLimitError(`${prefix}rate`, rate, "give `{ count, perMs }`", { limit });
  }
  assertKnownOptions(rate, ["count", "perMs", "burst"], "rate.");
  const { perMs } = rate;
  const count = checkCount(limit, rate.count, `${prefix}rate.count`, 1);
  if (typeof perMs !== "number" || !(perMs > 0 && perMs <= limits.limitPerMsMax)) {
    const remedy = `give a number of milliseconds above 0 and at most ${limits.limitPerMsMax}`;
    throw new InvalidLimitError(`${prefix}rate.perMs`, perMs, remedy, { limit });
  }
  if (count > perMs * 1_000) {
    const remedy = "a store counts in microseconds; leave the rate out";
    throw new InvalidLimitError(`${prefix}rate.count`, count, remedy, { limit });
  }
  const burst = checkCount(
    limit,
    rate.burst ?? Math.max(1, Math.floor(count / 20)),
    `${prefix}rate.burst`,
    1,
  );
  if (burst > count) {
    const remedy = "give at most `count`, or a longer `perMs`";
    throw new InvalidLimitError(`${prefix}rate.burst`, burst, remedy, { limit });
  }
  return { count, perMs, burst };
};
