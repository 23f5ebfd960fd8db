// pnpm torture --store simulation --seed 1 --runs 1000
import { shrinkSimulation } from "./shrink-simulation.ts";
import { simulate } from "./simulate.ts";

/** Runs seeds one after the other; answers how many found a violation. */
export const runSimulations = async (
  firstSeed: number,
  runs: number,
  isShrinking: boolean,
): Promise<number> => {
  let failed = 0;
  let jobs = 0;
  let faults = 0;
  let virtualMs = 0;
  const startedAt = performance.now();
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const result = await simulate(seed);
    jobs += result.jobCount;
    faults += result.faultCount;
    virtualMs += result.virtualMs;
    if (result.violations.length === 0) continue;
    failed++;
    console.log(`seed ${seed}: ${result.violations.length} violations`);
    for (const { rule, detail } of result.violations.slice(0, 5))
      console.log(`  ${rule}: ${detail}`);
    if (isShrinking) {
      const fewest = await shrinkSimulation(result);
      console.log(`  the fewest faults that still fail: ${JSON.stringify(fewest)}`);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `${runs} seeds, ${jobs} jobs, ${faults} kills and freezes, ${Math.round(virtualMs / 3_600_000)} hours ` +
      `simulated in ${seconds.toFixed(1)} s: ${failed} seeds with violations`,
  );
  return failed;
};
