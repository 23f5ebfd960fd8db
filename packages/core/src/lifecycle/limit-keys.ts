// Limits by key. The key of a job is derived from its input by one function, so no caller can forget it. Operators change keys
// at run time.
import type { StateLimitKeyState } from "../adapters/limit-key-store.ts";
import type { StateKeyBounds } from "../adapters/state-adapter-limits.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidLimitError, InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertElementCount, assertName, assertObject } from "../model/assert-option.ts";
import type { LimitKey, LimitKeyBounds } from "../public-types/limits.ts";
import { assertLimitName, checkBounds, checkCount } from "./check-limit.ts";
import { notifyWaiting } from "./notify-waiting.ts";
import { requireLimitKeys } from "./require-limit-keys.ts";

/** Keys of one limit, as an operator names them. */
export interface LimitKeysScope {
  readonly limit?: unknown;
  readonly keys?: unknown;
}

export const setLimitKeys = async (engine: Engine, given: unknown): Promise<void> => {
  if (!Array.isArray(given)) throw new InvalidOptionError("keys", given, "give an array");
  assertElementCount(given, "keys");
  const keys = given.map((one: unknown) => {
    assertObject(one, "keys");
    const { limit, key } = one as { readonly limit?: unknown; readonly key?: unknown };
    const scope = checkScope(engine, { limit, keys: [key] });
    return { ...scope[0], bounds: checkKeyBounds(scope[0].limitName, one) };
  });
  engine.nesting.assertOutside("setLimitKeys");
  if (keys.length === 0) return;
  await requireLimitKeys(engine).setLimitKeys({ keys });
  await notifyTypes(
    engine,
    keys.map(({ limitName }) => limitName),
  );
};

export const getLimitKeys = async (
  engine: Engine,
  { limit, keys }: LimitKeysScope,
): Promise<readonly LimitKey[]> => {
  const limitName = checkLimitName(engine, limit);
  if (keys !== undefined) checkKeys(keys);
  const stored = await requireLimitKeys(engine).getLimitKeys({
    limitName,
    keys: (keys as readonly string[] | undefined) ?? null,
  });
  return stored.map(toLimitKey);
};

const toLimitKey = ({
  limitName,
  bounds,
  pause,
  effective,
  ...use
}: StateLimitKeyState): LimitKey => ({
  limit: limitName,
  ...use,
  ...effective,
  weight: bounds?.weight ?? 1,
  hasOwnBounds: bounds !== null,
  isPaused: pause !== null,
  pausedUntil: pause?.until ?? null,
  pauseNote: pause?.note ?? null,
});

export const pauseLimitKeys = async (
  engine: Engine,
  scope: LimitKeysScope,
  forMs: number | null,
  note: string | null,
): Promise<void> => {
  const keys = checkScope(engine, scope);
  engine.nesting.assertOutside("pause");
  await requireLimitKeys(engine).setLimitKeys({
    keys: keys.map((key) => ({ ...key, pause: { forMs, note, extends: false } })),
  });
};

/** Returns how many of them were paused. */
export const resumeLimitKeys = async (engine: Engine, scope: LimitKeysScope): Promise<number> => {
  const keys = checkScope(engine, scope);
  engine.nesting.assertOutside("resume");
  const resumed = await requireLimitKeys(engine).setLimitKeys({
    keys: keys.map((key) => ({ ...key, pause: null })),
  });
  const count = resumed.filter(Boolean).length;
  if (count > 0) {
    await notifyTypes(
      engine,
      keys.map(({ limitName }) => limitName),
    );
  }
  return count;
};

/** Idle workers of the job types under these limits look again. */
const notifyTypes = (engine: Engine, limitNames: readonly string[]): Promise<void> =>
  notifyWaiting(engine, engine.jobTypeLimits.typesUnder(limitNames));

const checkScope = (
  engine: Engine,
  { limit, keys }: LimitKeysScope,
): readonly [{ limitName: string; key: string }, ...{ limitName: string; key: string }[]] => {
  const limitName = checkLimitName(engine, limit);
  const [first, ...others] = checkKeys(keys).map((key) => ({ limitName, key }));
  if (first === undefined) throw new InvalidOptionError("keys", keys, "name at least one key");
  return [first, ...others];
};

const checkLimitName = (engine: Engine, name: unknown): string => {
  assertName(name, "limit");
  assertLimitName(engine, name);
  return name;
};

const checkKeys = (keys: unknown): readonly string[] => {
  if (!Array.isArray(keys)) throw new InvalidOptionError("keys", keys, "give an array of keys");
  assertElementCount(keys, "keys");
  for (const key of keys) assertName(key, "keys", limits.limitKeyLengthMax);
  return keys as string[]; // Each is checked.
};

const weightMax = 100;

/** Null: those of its limit. */
const checkKeyBounds = (limit: string, given: object): StateKeyBounds | null => {
  assertKnownOptions(given, ["limit", "key", "concurrency", "rate", "weight"], "keys.");
  const { weight } = given as LimitKeyBounds;
  const bounds = checkBounds(limit, given);
  if (bounds.concurrency === null && bounds.rate === null && weight === undefined) return null;
  const counted = checkCount(limit, weight ?? 1, "weight", 1);
  if (counted > weightMax) {
    const remedy = `give a whole number from 1 to ${weightMax}`;
    throw new InvalidLimitError("weight", weight, remedy, { limit });
  }
  return { ...bounds, weight: counted };
};

/** `rescheduleJob` with `pauses: "key"`: no other job of the key starts before that. */
export const pauseKeyOf = async (
  engine: Engine,
  { typeName, input }: { readonly typeName: string; readonly input: string },
  forMs: number,
): Promise<void> => {
  const limitKey = engine.jobTypeLimits.keyOf(typeName, input);
  if (limitKey === null) return;
  const { limitName, key } = limitKey;
  await requireLimitKeys(engine).setLimitKeys({
    keys: [{ limitName, key, pause: { forMs, note: null, extends: true } }],
  });
};
