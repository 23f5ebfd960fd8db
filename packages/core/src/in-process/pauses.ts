// Pauses that have not ended, and their meaning for an acquisition.
import type { Store } from "./store.ts";

/** A pause of a type; of everything, under the name null. */
export interface StoredPause {
  readonly pausedAt: number;
  /** Null: until it is resumed. */
  readonly until: number | null;
  readonly note: string | null;
}

type Pauses = Pick<Store, "now" | "pauses">;

export const activePauses = ({ now, pauses }: Pauses): ReadonlyMap<string | null, StoredPause> =>
  pauses.size === 0
    ? pauses
    : new Map([...pauses].filter(([, { until }]) => until === null || until > now));

/** When jobs of this type are acquired again: Infinity until it is resumed, 0 if it is not paused. */
export const pausedUntil = (
  active: ReadonlyMap<string | null, StoredPause>,
  typeName: string,
): number => {
  if (active.size === 0) return 0;
  const ends = [active.get(null), active.get(typeName)].map((one) =>
    one === undefined ? 0 : (one.until ?? Infinity),
  );
  return Math.max(...ends);
};
