// The limit of a job type as operators see it, with those of its keys that an operator has changed.
import type { StateLimitKeyState } from "../../adapters/limit-key-store.ts";
import type { StateBounds, StateLimitState } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";

/** A key of a limit, such as a customer. */
export interface LimitKeyView extends StateBounds {
  readonly key: string;
  /** The jobs that hold an unexpired lease. */
  readonly running: number;
  /** The pending jobs, due or not. */
  readonly pending: number;
  /** How many jobs may start now; null without a rate. */
  readonly tokens: number | null;
  /** Null: it is not paused. */
  readonly pause: { readonly until: Date | null; readonly note: string | null } | null;
}

/** A limit as operators see it. */
export interface LimitView extends StateBounds {
  /** The job type, or the name that several types share. */
  readonly name: string;
  readonly running: number;
  /** How many jobs may start now; null without a rate. */
  readonly tokens: number | null;
  /** Declared in code at some time. */
  readonly isDeclared: boolean;
  readonly updatedAt: Date;
  /** The bounds of each key; null: the limit does not divide its jobs by keys. */
  readonly perKey: StateBounds | null;
  /** The keys with bounds of their own or a pause, 20 at most. Null: the store has no keys. */
  readonly keys: readonly LimitKeyView[] | null;
}

/** Limits whose keys are read: each is a statement. */
const keyedMax = 10;
const keysMax = 20;

export const readLimitViews = async (
  { limitKeys }: AnyStateAdapter,
  limits: readonly StateLimitState[],
): Promise<readonly LimitView[]> => {
  const views: LimitView[] = [];
  let keyed = 0;
  for (const limit of limits) {
    const isRead = limitKeys !== undefined && keyed++ < keyedMax;
    const stored = isRead
      ? await limitKeys.getLimitKeys({ limitName: limit.name, keys: null })
      : [];
    const keys = stored.slice(0, keysMax).map(toKeyView);
    views.push({ ...toLimitView(limit), keys: limitKeys === undefined ? null : keys });
  }
  return views;
};

const toLimitView = (limit: StateLimitState): Omit<LimitView, "keys"> => {
  const { name, concurrency, rate, running, tokens, declaration, updatedAt } = limit;
  const isDeclared = declaration !== null;
  const { concurrency: perKeyConcurrency = null, rate: perKeyRate = null } = limit.perKey ?? {};
  const isKeyed = perKeyConcurrency !== null || perKeyRate !== null;
  const perKey = isKeyed ? { concurrency: perKeyConcurrency, rate: perKeyRate } : null;
  return { name, concurrency, rate, running, tokens, isDeclared, updatedAt, perKey };
};

const toKeyView = (state: StateLimitKeyState): LimitKeyView => {
  const { key, effective, running, pending, tokens, pause } = state;
  return { key, ...effective, running, pending, tokens, pause };
};
