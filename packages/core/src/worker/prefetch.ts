// How many jobs to claim beyond the free slots: as many as will begin while the next claim is on its way. Short jobs would
// otherwise wait for round trips; long ones must not be held by a worker that cannot begin them, so for them it is none.
import { limits } from "../defaults.ts";

export interface Prefetch {
  /** Jobs to hold beyond the slots. */
  readonly size: number;
  /** After each claim: how long it took, and how many jobs began since the one before, in how long. */
  measured(claimMs: number, begunCount: number, elapsedMs: number): void;
}

/** Old measurements fade by this much with each new one. */
const smoothing = 0.3;

/** Covers the claim's own time twice, so that a slower one does not empty the queue. */
const safety = 2;

export const createPrefetch = (sizeMax: number): Prefetch => {
  let ratePerMs = 0;
  let claimMs = 0;
  return {
    get size() {
      return Math.min(sizeMax, limits.prefetchMax, Math.floor(ratePerMs * claimMs * safety));
    },
    measured: (latestClaimMs, begunCount, elapsedMs) => {
      if (elapsedMs <= 0) return;
      ratePerMs += smoothing * (begunCount / elapsedMs - ratePerMs);
      // A clock of whole milliseconds reads 0 for many claims.
      claimMs += smoothing * (Math.max(0.5, latestClaimMs) - claimMs);
    },
  };
};
