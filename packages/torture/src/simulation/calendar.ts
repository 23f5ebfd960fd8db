// Weeks of schedules from one seed: every policy, in time zones around the days on which clocks are set. There are downtimes,
// kills at the instants themselves, pauses, triggers and backfills. Hours of virtual time take less than a millisecond.
import type { StateTick } from "queuert/internal";
import { loadClient } from "../kit/load-client.ts";
import { check } from "../checker/check.ts";
import { backfillMsMax } from "../checker/check-ticks.ts";
import { nothingSeen } from "../checker/control-history.ts";
import { instantsOf } from "../checker/instants.ts";
import { type LoadSurroundings, maxAttempts } from "../load/run-plan.ts";
import { ScheduleKeeper } from "../load/schedule-keeper.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { drawSchedule, startsAt } from "./draw-schedule.ts";
import { Simulation } from "./simulation.ts";
import { listTicks } from "../load/list-ticks.ts";
import { type SimulateOptions, type SimulationResult, within } from "./simulate.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const leaseMs = hourMs;

class Calendar {
  readonly keeper: ScheduleKeeper;
  readonly #simulation: Simulation;
  readonly #surroundings: LoadSurroundings;
  #workers: SimulatedProcess[] = [];
  readonly #failureShare: number;

  constructor(simulation: Simulation, surroundings: LoadSurroundings) {
    this.#simulation = simulation;
    this.#surroundings = surroundings;
    this.keeper = new ScheduleKeeper(surroundings, simulation.random, backfillMsMax);
    this.#failureShare = simulation.random.pick([0, 0.01, 0.05]);
  }

  async #startWorkers(): Promise<void> {
    const options = { leaseMs, timeoutMs: dayMs, pollIntervalMs: hourMs, retentionMs: 400 * dayMs };
    for (let count = 0; count < 2; count++) {
      this.#workers.push(await this.#simulation.startWorker(this.#failureShare, options));
    }
  }

  #killWorkers(): void {
    for (const worker of this.#workers) this.#simulation.kill(worker);
    this.#workers = [];
  }

  async #store(): Promise<void> {
    const { random } = this.#simulation;
    const drawn = Array.from({ length: 2 + random.below(3) }, (_, index) =>
      drawSchedule(random, `schedule-${index}`),
    );
    await this.keeper.store(
      drawn.map((schedule) => ({
        ...schedule,
        workMs: random.pick([0, 0, 20 * 60_000, 5 * hourMs]),
      })),
    );
  }

  /** Kills a worker, or all of them for hours, at an instant or some milliseconds after it. */
  async #fail(): Promise<void> {
    const { random } = this.#simulation;
    const { now, sleep } = this.#surroundings;
    const schedule = this.keeper.pick();
    const next = schedule && instantsOf(schedule.spec, now(), now() + 2 * dayMs)[0];
    if (next !== undefined) await sleep(next - now() + random.below(150));
    this.#killWorkers();
    const isDown = random.chance(0.4);
    await sleep(isDown ? random.below(3 * dayMs) : random.below(1_000));
    await this.#startWorkers();
  }

  async run(days: number): Promise<void> {
    const { random } = this.#simulation;
    const { sleep, now } = this.#surroundings;
    await this.#startWorkers();
    await this.#store();
    const until = now() + days * dayMs;
    while (now() < until) {
      await sleep(random.below(dayMs));
      await (random.chance(0.5) ? this.keeper.act() : this.#fail());
    }
    // Longer than a poll and the longest sequence.
    await sleep(8 * hourMs);
    await this.keeper.close();
    // Each instant of a known time can have been fired by now.
    await sleep(4 * hourMs);
    await this.keeper.pauseAll();
    const isRunning = async (): Promise<boolean> =>
      (await this.#simulation.jobs(["tick"])).some(
        ({ status }) => status === "pending" || status === "running",
      );
    while (await isRunning()) await sleep(hourMs);
  }
}

/** Runs one seed. */
export const simulateCalendar = async (
  seed: number,
  { plant, plantClient, aim }: SimulateOptions = {},
): Promise<SimulationResult> => {
  await loadClient();
  const simulation = new Simulation(seed, { plant, plantClient, aim, startsAt: startsAt(seed) });
  const { time } = simulation;
  const begunAt = time.now();
  const process = simulation.createProcess(0);
  const calendar = new Calendar(simulation, await simulation.createSurroundings(process));
  const days = 6 + simulation.random.below(10);
  const isDone = await within(simulation, calendar.run(days), 60 * dayMs);
  for (const each of simulation.processes) each.heal();
  const isStopped = await within(simulation, simulation.stop(), dayMs);
  const { schedules } = calendar.keeper;
  const ticks: StateTick[] = [];
  for (const { name } of schedules) ticks.push(...(await listTicks(simulation.store, name)));
  const jobs = await simulation.jobs(["tick"]);
  const violations = check({
    ...{ entries: simulation.entries, rows: [], jobs: [], removed: [], edges: [] },
    ...{ faults: simulation.faults, leases: [], now: time.now(), maxAttempts, toleranceMs: 0 },
    ...{ claimMs: 1_000, statementMs: 0, creationMs: 0, leaseMs, retentionMs: 400 * dayMs },
    ...{ recoveryMs: hourMs, workerCount: 2 },
    control: { ...nothingSeen, jobs, schedules, ticks },
  });
  return {
    ...{ seed, planned: [], starts: [], coverage: simulation.coverage },
    ...{ jobCount: jobs.length, removedCount: 0, attemptCount: ticks.length },
    violations: [
      ...violations,
      ...(isDone ? [] : [{ rule: "all is quiet in time", detail: "the calendar" }]),
      ...(isStopped ? [] : [{ rule: "workers stop", detail: "the calendar" }]),
    ],
    faultCount: simulation.faults.length,
    virtualMs: time.now() - begunAt,
  };
};
