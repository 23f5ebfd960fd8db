import { shrink } from "../shrink.ts";
import type { PlannedFault } from "./faults.ts";
import { simulate, type SimulateOptions, type SimulationResult } from "./simulate.ts";

const runsMax = 200;

/** The smallest run that was found. */
export interface Shrunk {
  readonly faults: readonly PlannedFault[];
  /** The places of the starts that it takes. */
  readonly starts: readonly number[];
}

/** The fewest faults and starts with which the seed still breaks one of the rules it broke. */
export const shrinkSimulation = async (
  { seed, planned, starts, violations }: SimulationResult,
  options: SimulateOptions = {},
): Promise<Shrunk> => {
  const broken = new Set(violations.map(({ rule }) => rule));
  const fails = async (run: Shrunk): Promise<boolean> => {
    const result = await simulate(seed, { ...options, ...run });
    return result.violations.some(({ rule }) => broken.has(rule));
  };
  const faults = await shrink(planned, (some) => fails({ faults: some, starts }), runsMax);
  return {
    faults,
    starts: await shrink(starts, (some) => fails({ faults, starts: some }), runsMax),
  };
};
