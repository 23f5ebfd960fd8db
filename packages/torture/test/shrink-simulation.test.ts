// The whole way, with a bug planted into the store: a seed finds it, and is shrunk to the one fault it takes.
import type { AnyStateAdapter } from "queuert";
import { describe, expect, it } from "vitest";
import { shrinkSimulation } from "../src/simulation/shrink-simulation.ts";
import { simulate, type SimulationResult } from "../src/simulation/simulate.ts";

/**
 * A process that has vanished keeps its jobs: no worker ever acquires a job whose lease has
 * expired.
 */
const withoutReclaiming = (state: AnyStateAdapter): AnyStateAdapter => ({
  ...state,
  acquireJobs: async (params) => {
    const result = await state.acquireJobs(params);
    return { ...result, jobs: result.jobs.filter(({ reclaimedFrom }) => reclaimedFrom === null) };
  },
  reclaimExpiredLeases: () => Promise.resolve([]),
});

const options = { plant: withoutReclaiming };

/**
 * A seed is searched for, since the draw of a seed changes with the load. It fails by several
 * faults, and not without any.
 */
const findFailing = async (): Promise<SimulationResult> => {
  for (let seed = 1; seed <= 60; seed++) {
    const result = await simulate(seed, options);
    if (result.violations.length === 0 || result.planned.length < 4) continue;
    const without = await simulate(seed, { ...options, faults: [] });
    if (without.violations.length === 0) return result;
  }
  throw new Error("No seed has found the bug");
};

describe("shrinking a simulation", () => {
  it("finds a store that takes nothing back, and the fewest faults that show it", async () => {
    const found = await findFailing();
    const fewest = await shrinkSimulation(found, options);
    expect(fewest.faults.length).toBeGreaterThan(0);
    expect(fewest.faults.length).toBeLessThan(found.planned.length);
    expect(fewest.starts.length).toBeGreaterThan(0);
    expect(fewest.starts.length).toBeLessThan(found.starts.length);
    const again = await simulate(found.seed, { ...options, ...fewest });
    expect(again.violations).not.toEqual([]);
    // It is the bug that they show, and nothing else.
    const sound = await simulate(found.seed, fewest);
    expect(sound.violations).toEqual([]);
  }, 60_000);
});
