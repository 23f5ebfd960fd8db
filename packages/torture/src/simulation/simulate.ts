// One run from one seed: the real engine on the in-process store, in several simulated processes
// under a virtual clock. Faults of every kind are drawn from the seed. Then faults end, time
// passes, and the checker reads the store and the records.
import type { AnyStateAdapter } from "queuert";
import { check } from "../checker/check.ts";
import { pathOf } from "../checker/stored-plan.ts";
import type { Violation } from "../checker/history.ts";
import { repair } from "../load/repair.ts";
import { maxAttempts } from "../load/run-plan.ts";
import { Starter } from "../load/starter.ts";
import { createRandom } from "../random.ts";
import { drawFaults, type PlannedFault } from "./faults.ts";
import { leaseMs, pollIntervalMs, retentionMs, Simulation, timeoutMs } from "./simulation.ts";

export interface SimulationResult {
  readonly seed: number;
  readonly planned: readonly PlannedFault[];
  readonly violations: readonly Violation[];
  readonly jobCount: number;
  /** How many of them retention took meanwhile. */
  readonly removedCount: number;
  readonly attemptCount: number;
  readonly faultCount: number;
  readonly virtualMs: number;
}

/**
 * Every worker reclaims once a poll. There is one writer, and a handler that hangs in its
 * transaction keeps it until its time is up. If statements fail, a worker waits before it tries
 * again.
 */
const recoveryMs = 2 * pollIntervalMs + 2 * timeoutMs + 500;

export interface SimulateOptions {
  /** Instead of those that follow from the seed: for shrinking. */
  readonly faults?: readonly PlannedFault[];
  /** Puts a bug into the store, which has to be found. */
  readonly plant?: (state: AnyStateAdapter) => AnyStateAdapter;
}

/** Runs one seed. */
export const simulate = async (
  seed: number,
  { faults, plant }: SimulateOptions = {},
): Promise<SimulationResult> => {
  const simulation = new Simulation(seed, plant);
  const { time } = simulation;
  const begunAt = time.now();
  const sequenceCount = 3 + simulation.random.below(12);
  const planned = faults ?? drawFaults(createRandom(seed + 1_000_000), sequenceCount);
  simulation.watchLeases();
  const isLoaded = await within(simulation, load(simulation, sequenceCount, planned), 600_000);
  for (const process of simulation.processes) process.heal();
  const isRecovered = isLoaded && (await within(simulation, untilQuiet(simulation), 120_000));
  const unfinished = isRecovered ? "" : await describeUnfinished(simulation);
  const isStopped = await within(simulation, simulation.stop(), 60_000);
  const seen = await simulation.seen();
  const violations = check({
    entries: simulation.entries,
    rows: await simulation.rows(),
    ...seen,
    faults: simulation.faults,
    leases: simulation.leases,
    now: time.now(),
    maxAttempts,
    toleranceMs: 0,
    claimMs: 1_000,
    ...{ creationMs: 0, leaseMs, retentionMs, workerCount: 2 },
    recoveryMs,
  });
  return {
    ...{ seed, planned },
    violations: [
      ...violations,
      ...(isRecovered ? [] : [{ rule: "all is quiet in time", detail: unfinished }]),
      ...(isStopped ? [] : [{ rule: "workers stop", detail: "" }]),
    ],
    jobCount: seen.jobs.length,
    removedCount: seen.removed.length,
    attemptCount: simulation.entries.filter(({ kind }) => kind === "began").length,
    faultCount: simulation.faults.length,
    virtualMs: time.now() - begunAt,
  };
};

/** Lets time pass until it is done. An error ends the run: it would be one of the simulation's own. */
const within = async (
  { time }: Simulation,
  work: Promise<void>,
  limitMs: number,
): Promise<boolean> => {
  let isDone = false;
  let failure: unknown;
  work.then(
    () => (isDone = true),
    (error: unknown) => {
      failure = error;
      isDone = true;
    },
  );
  const hasEnded = await time.run(() => isDone, limitMs);
  if (failure !== undefined) throw failure;
  return hasEnded;
};

/** Starts, and all the while kills, freezes and replaces workers. */
const load = async (
  simulation: Simulation,
  sequenceCount: number,
  planned: readonly PlannedFault[],
): Promise<void> => {
  const { random } = simulation;
  const failureShare = random.pick([0, 0.005, 0.03]);
  const workers = [
    await simulation.startWorker(failureShare),
    await simulation.startWorker(failureShare),
  ];
  const process = simulation.createProcess(failureShare);
  const surroundings = await simulation.createSurroundings(process);
  const starter = new Starter(surroundings, random);
  for (let index = 0; index < sequenceCount; index++) {
    void starter.step(`s${index}`);
    await simulation.sleep(random.below(300));
    for (const { after, kind, victim, ms } of planned) {
      const worker = workers[victim];
      if (after !== index || worker === undefined) continue;
      if (kind === "freeze") simulation.freeze(worker, ms);
      else {
        simulation.kill(worker);
        workers[victim] = await simulation.startWorker(failureShare);
      }
    }
  }
  await simulation.sleep(2_000);
};

/** Failed jobs are repaired and retried; every sequence has to end. */
const untilQuiet = async (simulation: Simulation): Promise<void> => {
  const process = simulation.createProcess(0);
  const surroundings = await simulation.createSurroundings(process);
  simulation.isRepaired = true;
  while (!(await repair(surroundings, await simulation.jobs()))) await simulation.sleep(200);
  // In every second seed retention deletes the rest.
  if (simulation.random.chance(0.5)) await simulation.sleep(retentionMs + 4 * pollIntervalMs);
};

const describeUnfinished = async (simulation: Simulation): Promise<string> =>
  (await simulation.jobs())
    .filter(({ status }) => status !== "completed")
    .slice(0, 5)
    .map(
      (job) => `${pathOf(job)} ${job.status} attempt ${job.attempt} ${job.lastAttemptError ?? ""}`,
    )
    .join("; ");
