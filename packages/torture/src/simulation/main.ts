//   pnpm torture --simulate --seed 1 --runs 10000
// Runs seeds in as many processes as there are cores. Every second seed aims a fault at a point that has not been reached yet.
// Every fiftieth one is a calendar: weeks of schedules.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { simulateCalendar } from "./calendar.ts";
import { type Aim, Coverage, type Reached } from "./coverage.ts";
import { createRandom } from "../random.ts";
import { shrinkSimulation } from "./shrink-simulation.ts";
import { simulate, type SimulationResult } from "./simulate.ts";

export interface SimulationRuns {
  readonly firstSeed: number;
  readonly runs: number;
  readonly isShrinking: boolean;
  /** The aim of a seed that failed, to run it again. */
  readonly aim: Aim | null;
}

/** The seeds of one process: each `step`-th from `first` on. */
interface Share extends Omit<SimulationRuns, "firstSeed"> {
  readonly first: number;
  readonly step: number;
}

interface Totals {
  readonly seeds: number;
  readonly jobs: number;
  readonly faults: number;
  readonly calendars: number;
  readonly ticks: number;
  readonly virtualMs: number;
  readonly failed: number;
  readonly reached: Reached;
}

const calendarEvery = 50;

const describe = async ({ seed, violations }: SimulationResult, aim: Aim | null): Promise<void> => {
  const how = aim === null ? "" : ` --aim '${JSON.stringify(aim)}'`;
  console.log(
    `seed ${seed}: ${violations.length} violations. Again: --seed ${seed} --runs 1${how}`,
  );
  for (const { rule, detail } of violations.slice(0, 5)) console.log(`  ${rule}: ${detail}`);
};

/** Runs seeds one after the other. */
const runShare = async ({ first, step, runs, isShrinking, aim: given }: Share): Promise<Totals> => {
  const coverage = new Coverage();
  let [jobs, faults, calendars, ticks, virtualMs, failed] = [0, 0, 0, 0, 0, 0];
  for (let index = 0; index < runs; index++) {
    const seed = first + index * step;
    const isCalendar = seed % calendarEvery === 0;
    const isAimed = seed % 2 === 1 && runs > 1;
    const aim = given ?? (isAimed ? coverage.aim(createRandom(seed + 3_000_000)) : null);
    const result = await (isCalendar ? simulateCalendar(seed) : simulate(seed, { aim }));
    jobs += result.jobCount;
    faults += result.faultCount;
    calendars += Number(isCalendar);
    ticks += isCalendar ? result.attemptCount : 0;
    virtualMs += result.virtualMs;
    if (!isCalendar) coverage.add(result.coverage.reached);
    if (result.violations.length === 0) continue;
    failed++;
    await describe(result, aim);
    if (!isShrinking || isCalendar) continue;
    const { faults: fewest, starts } = await shrinkSimulation(result, { aim });
    console.log(
      `  the fewest that still fail: starts ${JSON.stringify(starts)}, faults ${JSON.stringify(fewest)}`,
    );
  }
  const { reached } = coverage;
  return { seeds: runs, jobs, faults, calendars, ticks, virtualMs, failed, reached };
};

// Sources run as they are: tsx is a tool of the workspace, not of this package.
const root = fileURLToPath(new URL("../../../../package.json", import.meta.url));

const runElsewhere = async (share: Share): Promise<Totals> => {
  const tsx = pathToFileURL(createRequire(root).resolve("tsx")).href;
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(share)], {
    execArgv: ["--no-warnings", "--conditions=@queuert/source", "--import", tsx],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A process of the simulation ended with ${String(code)}`);
  });
  const [totals] = (await Promise.race([once(child, "message"), ended])) as [Totals];
  return totals;
};

/** Answers how many seeds found a violation. */
export const runSimulations = async ({
  firstSeed,
  runs,
  ...options
}: SimulationRuns): Promise<number> => {
  const step = Math.min(availableParallelism(), runs);
  const startedAt = performance.now();
  const shares = Array.from({ length: step }, (_, place): Share => {
    const own = Math.ceil((runs - place) / step);
    return { ...options, first: firstSeed + place, step, runs: own };
  });
  const all = await Promise.all(shares.map(step === 1 ? runShare : runElsewhere));
  const sum = (of: (totals: Totals) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const coverage = new Coverage();
  for (const { reached } of all) coverage.add(reached);
  const seconds = (performance.now() - startedAt) / 1_000;
  const failed = sum((one) => one.failed);
  console.log(
    `${runs} seeds, ${sum((one) => one.jobs)} jobs, ${sum((one) => one.faults)} kills and freezes, ` +
      `${sum((one) => one.calendars)} calendars with ${sum((one) => one.ticks)} ticks, ` +
      `${Math.round(sum((one) => one.virtualMs) / 3_600_000)} hours simulated in ${seconds.toFixed(1)} s ` +
      `(${(runs / seconds).toFixed(1)} seeds/s): ${failed} seeds with violations`,
  );
  for (const line of coverage.report()) console.log(line);
  return failed;
};

// In a process of its own: the share is its argument.
if (process.argv[1] === fileURLToPath(import.meta.url) && process.send !== undefined) {
  const totals = await runShare(JSON.parse(process.argv[2] ?? "") as Share);
  process.send(totals, () => process.exit(0));
}
