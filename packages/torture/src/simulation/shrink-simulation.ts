import { shrink } from "../shrink.ts";
import type { PlannedFault } from "./faults.ts";
import { simulate, type SimulateOptions, type SimulationResult } from "./simulate.ts";

const runsMax = 200;

/** The fewest faults with which the seed still breaks one of the rules it broke. */
export const shrinkSimulation = (
  { seed, planned, violations }: SimulationResult,
  options: SimulateOptions = {},
): Promise<readonly PlannedFault[]> => {
  const broken = new Set(violations.map(({ rule }) => rule));
  const fails = async (faults: readonly PlannedFault[]): Promise<boolean> => {
    const result = await simulate(seed, { ...options, faults });
    return result.violations.some(({ rule }) => broken.has(rule));
  };
  return shrink(planned, fails, runsMax);
};
