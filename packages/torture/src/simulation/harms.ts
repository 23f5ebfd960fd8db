// What is done to the simulated workers, all drawn before the run: so that some of it can be left out.
import type { Random } from "../random.ts";
import { leaseMs } from "./simulation.ts";

export interface PlannedHarm {
  readonly kind: "kill" | "freeze";
  /** After so many sequences have been started. */
  readonly after: number;
  readonly victim: number;
  /** How long it is frozen: up to twice the lease. */
  readonly ms: number;
}

export const drawHarms = (random: Random, sequenceCount: number): readonly PlannedHarm[] => {
  const harms: PlannedHarm[] = [];
  for (let after = 0; after < sequenceCount; after++) {
    for (const kind of ["freeze", "kill"] as const) {
      if (!random.chance(0.15)) continue;
      harms.push({ kind, after, victim: random.below(2), ms: random.below(2 * leaseMs) });
    }
  }
  return harms;
};
