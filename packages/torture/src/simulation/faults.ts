// The faults of the simulated processes, all drawn before the run, so that some can be left out.
import type { Random } from "../random.ts";
import { leaseMs } from "./simulation.ts";

export interface PlannedFault {
  readonly kind: "kill" | "freeze";
  /** After so many sequences have been started. */
  readonly after: number;
  readonly victim: number;
  /** How long it is frozen: up to twice the lease. */
  readonly ms: number;
}

export const drawFaults = (random: Random, sequenceCount: number): readonly PlannedFault[] => {
  const planned: PlannedFault[] = [];
  for (let after = 0; after < sequenceCount; after++) {
    for (const kind of ["freeze", "kill"] as const) {
      if (!random.chance(0.15)) continue;
      planned.push({ kind, after, victim: random.below(2), ms: random.below(2 * leaseMs) });
    }
  }
  return planned;
};
