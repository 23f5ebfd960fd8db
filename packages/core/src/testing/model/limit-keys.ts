// The operations of the model test on bounds of keys.
import { minuteMs } from "../factories.ts";
import type { ModelOperation } from "./operations.ts";
import { modelLimitKeys } from "./operations.ts";
import type { ModelWorld } from "./world.ts";

/** A token comes back long after the run. */
const slowRate = (burst: number) => ({ count: burst, perMs: burst * 100 * minuteMs, burst });

export const boundKeys = async (
  { adapter, limitName }: ModelWorld,
  { concurrency, burst }: Extract<ModelOperation, { readonly kind: "boundKeys" }>,
): Promise<unknown> => {
  if (limitName === null) return "no keys";
  const perKey = { concurrency, rate: burst === null ? null : slowRate(burst) };
  const limit = { name: limitName, concurrency: null, rate: null, perKey, declaration: null };
  return adapter.setLimits({ limits: [limit] });
};

export const boundKey = async (
  { adapter, limitName }: ModelWorld,
  { key, concurrency, isPaused }: Extract<ModelOperation, { readonly kind: "boundKey" }>,
): Promise<unknown> => {
  if (limitName === null) return "no keys";
  const bounds = concurrency === null ? null : { concurrency, rate: null, weight: 2 };
  const pause = isPaused ? { forMs: null, note: null, extends: false } : null;
  return adapter.limitKeys?.setLimitKeys({ keys: [{ limitName, key, bounds, pause }] });
};

/** The use of the keys. */
export const lookAtKeys = async ({ adapter, limitName }: ModelWorld): Promise<unknown> => {
  if (limitName === null) return "no keys";
  const keys = await adapter.limitKeys?.getLimitKeys({ limitName, keys: modelLimitKeys });
  // The limit has another name in each run.
  return keys?.map((key) => ({ ...key, limitName: null }));
};
