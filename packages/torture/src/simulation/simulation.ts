// The world of one simulated run: the store, the clock, the processes, and their records.
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  type AnyStateAdapter,
  type StateJob,
} from "queuert";
import { createQueuertWith } from "queuert/internal";
import type { Fault, HistoryEntry, SeenLease, UserRow } from "../checker/history.ts";
import { LeaseWatch } from "../checker/lease-watch.ts";
import { type SeenStore, RetentionWatch } from "../checker/retention-watch.ts";
import { jobTypes } from "../load/job-types.ts";
import { type LoadQueuert, type LoadSurroundings } from "../load/run-plan.ts";
import { startLoadWorker } from "../load/start-load-worker.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { createRandom, type Random } from "../random.ts";
import { createSimulatedProcess, type SimulatedProcess } from "./simulated-process.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

export const leaseMs = 2_000;
export const pollIntervalMs = 500;
/** How long a handler may take. */
export const timeoutMs = 1_500;
const watchIntervalMs = 100;
/**
 * Longer than a process is frozen between completing a job and the commit. The job is observed
 * before it is old enough.
 */
export const retentionMs = 3 * leaseMs;

interface OpenProcess {
  readonly process: SimulatedProcess;
  readonly close: () => Promise<void>;
}

export class Simulation {
  readonly time: VirtualTime = createVirtualTime();
  readonly random: Random;
  readonly entries: HistoryEntry[] = [];
  readonly faults: Fault[] = [];
  readonly processes: SimulatedProcess[] = [];
  readonly store: AnyStateAdapter;
  isRepaired = false;
  readonly #notify = createInProcessNotifyAdapter();
  readonly #rescheduled = new Map<string, number>();
  readonly #open: OpenProcess[] = [];
  readonly #watch = new LeaseWatch();
  readonly #retentionWatch = new RetentionWatch();
  #isStopped = false;

  constructor(seed: number, plant: (state: AnyStateAdapter) => AnyStateAdapter = (state) => state) {
    this.random = createRandom(seed);
    let idCount = 0;
    const store = plant(
      createInProcessStateAdapter({
        clock: this.time,
        idGenerator: () => `j${String(idCount++).padStart(8, "0")}`,
      }),
    );
    this.store = {
      ...store,
      // All that it can take has been seen before that.
      deleteFinishedSequences: async (params) => {
        await this.#retentionWatch.look(store, () => this.time.now());
        return store.deleteFinishedSequences(params);
      },
    };
  }

  get leases(): readonly SeenLease[] {
    return this.#watch.leases;
  }

  /** Queries the running jobs until the simulation is over. */
  watchLeases(): void {
    const look = async (): Promise<void> => {
      if (this.#isStopped) return;
      await this.#watch.look(this.store, () => this.time.now());
      this.time.setTimeout(() => void look(), watchIntervalMs);
    };
    void look();
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.time.setTimeout(resolve, ms));
  }

  createProcess(failureShare: number): SimulatedProcess {
    const process = createSimulatedProcess({
      name: `process-${this.processes.length}`,
      time: this.time,
      random: this.random,
      state: this.store,
      notify: this.#notify,
      latencyMs: this.random.pick([0, 3, 30]),
      failureShare,
      lostNotificationShare: 0.2,
    });
    this.processes.push(process);
    return process;
  }

  async createSurroundings(process: SimulatedProcess): Promise<LoadSurroundings> {
    const queuert: LoadQueuert = await createQueuertWith(
      {
        stateAdapter: process.state,
        notifyAdapter: process.notify,
        jobTypeDefinitions: jobTypes,
        log: () => undefined,
      },
      { clock: process.clock, random: () => this.random.next() },
    );
    this.#open.push({ process, close: () => queuert.close() });
    return {
      queuert,
      processName: process.name,
      now: () => this.time.now(),
      sleep: (ms) => new Promise((resolve) => process.clock.setTimeout(resolve, ms)),
      note: (entry) => {
        if (!process.isDead()) this.entries.push(entry);
      },
      writeRow: async (context, row) => {
        await queuert.startJobSequence({ ...context, typeName: "row", input: row });
      },
      onError: () => undefined,
      rescheduled: this.#rescheduled,
      isRepaired: () => this.isRepaired,
    };
  }

  async startWorker(failureShare: number): Promise<SimulatedProcess> {
    const process = this.createProcess(failureShare);
    const surroundings = await this.createSurroundings(process);
    await startLoadWorker(surroundings, {
      leaseMs,
      timeoutMs,
      pollIntervalMs,
      concurrency: this.random.pick([1, 3, 10]),
      retentionMs,
    });
    return process;
  }

  kill(victim: SimulatedProcess): void {
    const at = this.time.now();
    const common = { kind: "kill", process: victim.name, stopsAll: false };
    this.faults.push({ ...common, from: at, until: at });
    victim.kill();
  }

  freeze(victim: SimulatedProcess, ms: number): void {
    const at = this.time.now();
    // The in-process store has one writer, and a process that stands still may hold it.
    const common = { kind: "freeze", process: victim.name, stopsAll: true };
    this.faults.push({ ...common, from: at, until: at + ms });
    victim.freeze(ms);
  }

  /** Closes every process that is alive, and records the leaks of each. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(
      this.#open.map(async ({ process, close }) => {
        if (process.isDead()) return;
        await close();
        const count = process.timerCount();
        if (count === 0) return;
        const what = `${count} timers`;
        this.entries.push({ kind: "leaked", at: this.time.now(), process: process.name, what });
      }),
    );
  }

  jobs(): Promise<readonly StateJob[]> {
    return listAllJobs(this.store, ["step", "gather"]);
  }

  /** After everything has stopped. */
  async seen(): Promise<SeenStore> {
    await this.#retentionWatch.look(this.store, () => this.time.now());
    return this.#retentionWatch.seen(this.entries);
  }

  async rows(): Promise<readonly UserRow[]> {
    const rows = await listAllJobs(this.store, ["row"]);
    return rows.map(({ input }) => JSON.parse(input) as UserRow);
  }
}
