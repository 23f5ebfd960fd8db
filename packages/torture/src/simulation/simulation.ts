// The world of one simulated run: the store, the clock, the processes, and their records.
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  type AnyStateAdapter,
  type StateJob,
} from "queuert";
import { createQueuertWith } from "queuert/internal";
import type { ControlSeen } from "../checker/control-history.ts";
import type { Fault, HistoryEntry, SeenLease, UserRow } from "../checker/history.ts";
import { LeaseWatch } from "../checker/lease-watch.ts";
import { permitsLeftIn } from "../checker/permits-left.ts";
import { type SeenStore, RetentionWatch } from "../checker/retention-watch.ts";
import { controlTypeNames, treeTypeNames } from "../load/control-types.ts";
import { errandLimits } from "../load/errand-types.ts";
import { jobTypes } from "../load/job-types.ts";
import { type LoadQueuert, type LoadSurroundings } from "../load/run-plan.ts";
import { type LoadWorkerOptions, startLoadWorker } from "../load/start-load-worker.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { createRandom, type Random } from "../random.ts";
import { type Aim, Coverage } from "./coverage.ts";
import { Aiming } from "./aiming.ts";
import { createSimulatedProcess, type SimulatedProcess } from "./simulated-process.ts";
import type { Flight } from "./wired-state.ts";
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
  readonly time: VirtualTime;
  readonly random: Random;
  readonly entries: HistoryEntry[] = [];
  readonly faults: Fault[] = [];
  readonly processes: SimulatedProcess[] = [];
  readonly store: AnyStateAdapter;
  readonly coverage: Coverage = new Coverage();
  isRepaired = false;
  /** Replaces a worker that was killed on purpose. */
  onAimed: ((victim: SimulatedProcess) => void) | null = null;
  readonly #aiming: Aiming;
  readonly #plantClient: (queuert: LoadQueuert) => LoadQueuert;
  readonly #isReporting: boolean;
  readonly #notify = createInProcessNotifyAdapter();
  readonly #rescheduled = new Map<string, number>();
  readonly #open: OpenProcess[] = [];
  readonly #workers = new Set<SimulatedProcess>();
  readonly #watch = new LeaseWatch();
  readonly #retentionWatch = new RetentionWatch(treeTypeNames);
  readonly #controlWatch = new RetentionWatch(controlTypeNames);
  #isStopped = false;
  #roomMax = 1;

  constructor(
    seed: number,
    {
      plant = (state) => state,
      plantClient = (queuert) => queuert,
      aim = null,
      startsAt,
    }: {
      /** Puts a bug into the store. */
      readonly plant?: ((state: AnyStateAdapter) => AnyStateAdapter) | undefined;
      /** Puts a bug into each client. */
      readonly plantClient?: ((queuert: LoadQueuert) => LoadQueuert) | undefined;
      readonly aim?: Aim | null | undefined;
      readonly startsAt?: number | undefined;
    },
  ) {
    // Weeks have too many beats.
    this.#isReporting = startsAt === undefined;
    this.#plantClient = plantClient;
    this.time = createVirtualTime(startsAt);
    this.#aiming = new Aiming(aim, this.time);
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
        await this.#lookAtAll(store);
        return store.deleteFinishedSequences(params);
      },
      // Every acquisition is seen, and every crowd at its largest.
      acquireJobs: async (params) => {
        const acquired = await store.acquireJobs(params);
        if (acquired.jobs.length > 0) await this.#watch.look(store, () => this.time.now());
        return acquired;
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
    const process: SimulatedProcess = createSimulatedProcess({
      name: `process-${this.processes.length}`,
      time: this.time,
      random: this.random,
      state: this.store,
      notify: this.#notify,
      coverage: this.coverage,
      onPoint: (flight) => this.#onPoint(process, flight),
      latencyMs: this.random.pick([0, 3, 30]),
      failureShare,
      lostNotificationShare: 0.2,
    });
    this.processes.push(process);
    return process;
  }

  async createSurroundings(process: SimulatedProcess): Promise<LoadSurroundings> {
    const created: LoadQueuert = await createQueuertWith(
      {
        stateAdapter: process.state,
        notifyAdapter: process.notify,
        jobTypeDefinitions: jobTypes,
        limits: errandLimits,
        workerRegistry: this.#isReporting,
        log: () => undefined,
      },
      { clock: process.clock, random: () => this.random.next() },
    );
    const queuert = this.#plantClient(created);
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

  async startWorker(
    failureShare: number,
    options: Partial<LoadWorkerOptions> = {},
  ): Promise<SimulatedProcess> {
    const process = this.createProcess(failureShare);
    const surroundings = await this.createSurroundings(process);
    const concurrency = this.random.pick([1, 3, 10]);
    this.#roomMax = Math.max(this.#roomMax, concurrency);
    await startLoadWorker(surroundings, {
      ...{ leaseMs, timeoutMs, pollIntervalMs, retentionMs, concurrency },
      ...options,
    });
    // A fault that is aimed at workers hits none that is still starting: nothing waits for its start but the run itself.
    this.#workers.add(process);
    return process;
  }

  /** Counts statements that overlap, and hits the one that was aimed at. */
  #onPoint(process: SimulatedProcess, flight: Flight): Promise<void> | undefined {
    if (flight.phase === "sent") {
      const others = this.processes.flatMap((other) =>
        other === process || other.isDead() ? [] : [...other.flights].map(({ method }) => method),
      );
      this.coverage.method(flight.method, others);
      if (this.#workers.has(process)) this.coverage.workerMethod(flight.method);
    }
    // Nothing is hit any more while the processes are closed.
    const aim = this.#isStopped ? null : this.#aiming.hit(process, flight);
    if (aim === null) return undefined;
    if (aim.kind === "hold") return this.#aiming.hold(process, aim.beside);
    if (aim.kind === "freeze") this.freeze(process, 2 * leaseMs);
    else if (this.#workers.has(process)) {
      this.kill(process);
      this.onAimed?.(process);
    }
    return undefined;
  }

  #reach(kind: string, victim: SimulatedProcess): void {
    for (const { method, phase } of victim.flights) {
      this.coverage.reach(`fault: ${kind} while ${method} is ${phase}`);
    }
  }

  kill(victim: SimulatedProcess): void {
    this.#reach("kill", victim);
    const at = this.time.now();
    const common = { kind: "kill", process: victim.name, stopsAll: false };
    this.faults.push({ ...common, from: at, until: at });
    victim.kill();
  }

  freeze(victim: SimulatedProcess, ms: number): void {
    this.#reach("freeze", victim);
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

  jobs(typeNames: readonly string[] = treeTypeNames): Promise<readonly StateJob[]> {
    return listAllJobs(this.store, typeNames);
  }

  async #lookAtAll(store: AnyStateAdapter): Promise<void> {
    for (const watch of [this.#retentionWatch, this.#controlWatch]) {
      await watch.look(store, () => this.time.now());
    }
  }

  /** After everything has stopped. */
  async seen(): Promise<SeenStore & { readonly control: ControlSeen }> {
    await this.#lookAtAll(this.store);
    return {
      ...this.#retentionWatch.seen(this.entries),
      control: {
        jobs: this.#controlWatch.seen(this.entries).jobs,
        crowds: this.#watch.crowds,
        permitsLeft: await permitsLeftIn(this.store),
        roomMax: this.#roomMax,
        ...{ schedules: [], ticks: [] },
      },
    };
  }

  async rows(): Promise<readonly UserRow[]> {
    const rows = await listAllJobs(this.store, ["row"]);
    return rows.map(({ input }) => JSON.parse(input) as UserRow);
  }
}
