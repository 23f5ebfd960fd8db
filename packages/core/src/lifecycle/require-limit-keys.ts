import type { LimitKeyStore } from "../adapters/limit-key-store.ts";
import type { Engine } from "../engine.ts";
import { LimitsUnsupportedError } from "../errors.ts";

/** The keys of limits, which not every store has. */
export const requireLimitKeys = ({ state }: Pick<Engine, "state">): LimitKeyStore => {
  if (state.limitKeys === undefined) throw new LimitsUnsupportedError();
  return state.limitKeys;
};
