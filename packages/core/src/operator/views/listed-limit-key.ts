// A key of a limit, as a page of keys shows it.
import type { LimitKey } from "../../public-types/limits.ts";

/**
 * `paused`: it starts no job. `full`: as many run as may. `no_tokens`: its rate lets no job start for a moment. `waits`: it gets
 * its turn. `idle`: no job of it waits.
 */
export type LimitKeyTurn = "paused" | "full" | "no_tokens" | "waits" | "idle";

/** A key of a limit as operators see it. */
export interface ListedLimitKey extends LimitKey {
  readonly turn: LimitKeyTurn;
}

/** One page of the keys of a limit. */
export interface LimitKeysPage {
  /** The store's clock. */
  readonly at: Date;
  readonly items: readonly ListedLimitKey[];
  /** The first key of the next page. Null: this is the last one. */
  readonly nextKey: string | null;
}

export const toListedLimitKey = (key: LimitKey): ListedLimitKey => ({
  ...key,
  turn: turnOf(key),
});

const turnOf = ({ isPaused, concurrency, running, tokens, pending }: LimitKey): LimitKeyTurn => {
  if (isPaused) return "paused";
  if (pending === 0) return "idle";
  if (concurrency !== null && running >= concurrency) return "full";
  return tokens !== null && tokens < 1 ? "no_tokens" : "waits";
};
