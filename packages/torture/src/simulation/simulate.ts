// One run from one seed: the real engine on the in-process store, in several simulated processes
// under a virtual clock. Faults of every kind are drawn from the seed. Then faults end, time
// passes, and the checker reads the store and the records.
import type { AnyStateAdapter } from "queuert";
import { loadClient } from "../kit/load-client.ts";
import { check } from "../checker/check.ts";
import type { Violation } from "../checker/history.ts";
import { controlTypeNames, treeTypeNames } from "../load/control-types.ts";
import { Controls } from "../load/controls.ts";
import { repair } from "../load/repair.ts";
import { type LoadQueuert, maxAttempts } from "../load/run-plan.ts";
import { Starter } from "../load/starter.ts";
import { createRandom } from "../random.ts";
import type { Aim, Coverage } from "./coverage.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { drawFaults, type PlannedFault } from "./faults.ts";
import { leaseMs, pollIntervalMs, retentionMs, Simulation, timeoutMs } from "./simulation.ts";

export interface SimulationResult {
  readonly seed: number;
  readonly planned: readonly PlannedFault[];
  /** The places of the starts, among all that follow from the seed. */
  readonly starts: readonly number[];
  readonly violations: readonly Violation[];
  readonly jobCount: number;
  /** How many of them retention took meanwhile. */
  readonly removedCount: number;
  readonly attemptCount: number;
  readonly faultCount: number;
  readonly virtualMs: number;
  readonly coverage: Coverage;
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
  /** Only these starts: for shrinking. */
  readonly starts?: readonly number[];
  /** A fault at one point of a statement, besides. */
  readonly aim?: Aim | null;
  /** Puts a bug into the store, which has to be found. */
  readonly plant?: (state: AnyStateAdapter) => AnyStateAdapter;
  /** Puts a bug into each client. */
  readonly plantClient?: (queuert: LoadQueuert) => LoadQueuert;
}

/** Runs one seed. */
export const simulate = async (
  seed: number,
  { faults, starts, plant, plantClient, aim }: SimulateOptions = {},
): Promise<SimulationResult> => {
  await loadClient();
  const simulation = new Simulation(seed, { plant, plantClient, aim });
  const { time } = simulation;
  const begunAt = time.now();
  const startCount = 3 + simulation.random.below(12);
  const all = Array.from({ length: startCount }, (_, index) => index);
  const plan: LoadPlan = {
    ...{ seed, startCount, starts: starts ?? all },
    faults: faults ?? drawFaults(createRandom(seed + 1_000_000), startCount),
  };
  simulation.watchLeases();
  const isLoaded = await within(simulation, load(simulation, plan), 600_000);
  for (const process of simulation.processes) process.heal();
  const isRecovered = isLoaded && (await within(simulation, untilQuiet(simulation), 120_000));
  const unfinished = isRecovered
    ? ""
    : `${isLoaded ? "after" : "during"} the load; ${await describeUnfinished(simulation)}`;
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
    ...{ creationMs: 0, statementMs: 0, leaseMs, retentionMs, workerCount: 2 },
    recoveryMs,
  });
  return {
    ...{ seed, planned: plan.faults, starts: plan.starts, coverage: simulation.coverage },
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
export const within = async (
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

interface LoadPlan {
  readonly seed: number;
  readonly startCount: number;
  readonly starts: readonly number[];
  readonly faults: readonly PlannedFault[];
}

/** Starts, and all the while kills, freezes and replaces workers. */
const load = async (
  simulation: Simulation,
  { seed, startCount, starts, faults }: LoadPlan,
): Promise<void> => {
  const { random } = simulation;
  const failureShare = random.pick([0, 0.005, 0.03]);
  const workers = [
    await simulation.startWorker(failureShare),
    await simulation.startWorker(failureShare),
  ];
  const process = simulation.createProcess(failureShare);
  const surroundings = await simulation.createSurroundings(process);
  const replace = async (victim: SimulatedProcess): Promise<void> => {
    const place = workers.indexOf(victim);
    if (place >= 0) workers[place] = await simulation.startWorker(failureShare);
  };
  simulation.onAimed = (victim) => void replace(victim);
  const starter = new Starter(surroundings);
  const controls = new Controls(surroundings, createRandom(seed + 2_000_000));
  // Some seeds are without: the rules about recovery and order see more there.
  const controlShare = random.pick([0, 0.3, 1]);
  const calls: Promise<void>[] = [];
  for (let index = 0; index < startCount; index++) {
    // A draw of its own for each, so that one can be left out.
    const own = createRandom(seed * 1_000 + index);
    if (starts.includes(index)) calls.push(starter.step(`s${index}`, own));
    for (let count = 0; count < 3; count++) {
      if (random.chance(controlShare)) calls.push(controls.step());
    }
    await simulation.sleep(random.below(300));
    for (const { after, kind, victim, ms } of faults) {
      const worker = workers[victim];
      if (after !== index || worker === undefined) continue;
      if (kind === "freeze") simulation.freeze(worker, ms);
      else {
        simulation.kill(worker);
        await replace(worker);
      }
    }
  }
  await simulation.sleep(2_000);
  await Promise.all(calls);
};

/** Failed jobs are repaired and retried; every sequence has to end. */
const untilQuiet = async (simulation: Simulation): Promise<void> => {
  const process = simulation.createProcess(0);
  const surroundings = await simulation.createSurroundings(process);
  simulation.isRepaired = true;
  const look = async (): Promise<boolean> =>
    repair(surroundings, await simulation.jobs(), await simulation.jobs(controlTypeNames));
  while (!(await look())) await simulation.sleep(200);
  // In every second seed retention deletes the rest.
  if (simulation.random.chance(0.5)) await simulation.sleep(retentionMs + 4 * pollIntervalMs);
};

const describeUnfinished = async (simulation: Simulation): Promise<string> =>
  (await simulation.jobs([...treeTypeNames, ...controlTypeNames]))
    .filter(({ status }) => status !== "completed" && status !== "cancelled")
    .slice(0, 5)
    .map(
      (job) =>
        `${job.typeName} ${job.id} ${job.status} attempt ${job.attempt} ${job.lastAttemptError ?? ""}`,
    )
    .join("; ");
