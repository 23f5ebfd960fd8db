// The processes of one run: clients of the same store, of which workers may be killed or stand still.
import {
  type AnyStateAdapter,
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  type NotifyAdapter,
} from "queuert";
import { type Clock, createQueuertWith, systemClock } from "queuert/internal";
import { createRandom, type Random } from "../random.ts";
import { Coverage } from "../simulation/coverage.ts";
import { createSimulatedProcess, type SimulatedProcess } from "../simulation/simulated-process.ts";
import { createVirtualTime, type VirtualTime } from "../simulation/virtual-time.ts";
import { Attempts } from "./attempts.ts";
import { allFaults, ownNames } from "./options.ts";
import type {
  TortureFault,
  TortureReport,
  TortureViolation,
  UntypedOptions,
} from "./torture-options.ts";

interface Client {
  close(): Promise<void>;
}

interface OpenProcess {
  readonly process: SimulatedProcess;
  readonly queuert: Client;
}

const pollIntervalMs = 200;
export const stopMs = 30_000;
const frozenMsMax = 3_000;

export class World {
  readonly virtual: VirtualTime | null;
  readonly clock: Clock;
  readonly store: AnyStateAdapter;
  readonly random: Random;
  readonly attempts: Attempts = new Attempts();
  readonly startedIds: string[] = [];
  /** The newest job before the run. */
  since: number | null = null;
  readonly #given: UntypedOptions;
  readonly #notify: NotifyAdapter;
  readonly #faults: readonly TortureFault[];
  readonly #counts: Record<TortureFault, number> = {
    kill: 0,
    freeze: 0,
    statement: 0,
    notification: 0,
  };
  readonly #coverage = new Coverage();
  readonly #open: OpenProcess[] = [];
  readonly #starting: Promise<void>[] = [];
  #workers: SimulatedProcess[] = [];
  #starter: OpenProcess | null = null;
  #count = 0;

  constructor(given: UntypedOptions) {
    this.#given = given;
    this.#faults = given.faults ?? allFaults;
    this.random = createRandom(given.seed ?? 1);
    this.virtual = given.stateAdapter === undefined ? createVirtualTime() : null;
    this.clock = this.virtual ?? systemClock;
    let ids = 0;
    this.store =
      given.stateAdapter ??
      createInProcessStateAdapter({
        clock: this.clock,
        idGenerator: () => `job-${String(ids++).padStart(8, "0")}`,
      });
    this.#notify = given.notifyAdapter ?? createInProcessNotifyAdapter();
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimeout(resolve, ms));
  }

  #createProcess(): SimulatedProcess {
    const has = (fault: TortureFault): boolean => this.#faults.includes(fault);
    const process = createSimulatedProcess({
      name: `process-${this.#count++}`,
      ...{ time: this.clock, random: this.random, state: this.store, coverage: this.#coverage },
      notify: this.#notify,
      onPoint: () => undefined,
      onFault: (kind) => void this.#counts[kind]++,
      latencyMs: 3,
      letsCallbacksEnd: true,
      failureShare: has("statement") ? 0.01 : 0,
      lostNotificationShare: has("notification") ? 0.2 : 0,
    });
    return process;
  }

  async #openClient(process: SimulatedProcess): Promise<OpenProcess> {
    const given = Object.entries(this.#given).filter(([name]) => !ownNames.has(name));
    const options = {
      log: () => undefined,
      ...Object.fromEntries(given),
      ...{ stateAdapter: process.state, notifyAdapter: process.notify },
    };
    // Limits and schedules are declared through the store, which fails only after that.
    process.heal();
    const queuert = await createQueuertWith(options as never, {
      clock: process.clock,
      random: () => this.random.next(),
    });
    process.hurt();
    const open = { process, queuert: queuert as unknown as Client };
    this.#open.push(open);
    return open;
  }

  async #startWorker(): Promise<SimulatedProcess> {
    const process = this.#createProcess();
    const { queuert } = await this.#openClient(process);
    const builder = this.#given.worker(queuert).use(this.attempts.middleware(process.isDead));
    await builder.start({
      ...{ workerId: process.name, concurrency: this.random.pick([1, 3, 10]) },
      ...{ pollIntervalMs, reapIntervalMs: pollIntervalMs, shutdownTimeoutMs: stopMs / 2 },
      waitForStore: true,
    });
    return process;
  }

  async open(): Promise<void> {
    const [newest] = await this.store.listJobs({
      ...{ typeNames: null, statuses: null, sequenceId: null, rootSequenceId: null },
      ...{ createdFrom: null, createdTo: null, order: "desc", limit: 1, afterOrdinal: null },
    });
    this.since = newest?.ordinal ?? null;
    const { workers = 2 } = this.#given;
    for (let index = 0; index < workers; index++) this.#workers.push(await this.#startWorker());
    this.#starter = await this.#openClient(this.#createProcess());
  }

  /** Its error is the user's affair, or that of a fault. */
  start(index: number): void {
    const queuert = this.#starter?.queuert;
    if (queuert === undefined) return;
    const random = (): number => this.random.next();
    const starting = (async () => {
      const started = await this.#given.start({ queuert, index, random });
      const all = (Array.isArray(started) ? started : [started]) as readonly {
        readonly id: string;
      }[];
      this.startedIds.push(...all.map(({ id }) => id));
    })();
    this.#starting.push(starting.catch(() => undefined));
  }

  async settleStarts(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Kills a worker and starts another, or lets one stand still, now and then. */
  async maybeFail(): Promise<void> {
    const { random } = this;
    const place = random.below(this.#workers.length);
    const worker = this.#workers[place];
    const [isKilled, isFrozen] = [random.chance(0.15), random.chance(0.15)];
    if (worker === undefined) return;
    if (isFrozen && this.#faults.includes("freeze")) {
      this.#counts.freeze++;
      worker.freeze(random.below(frozenMsMax));
    }
    if (!isKilled || !this.#faults.includes("kill")) return;
    this.#counts.kill++;
    worker.kill();
    this.#workers[place] = await this.#startWorker();
  }

  heal(): void {
    for (const { process } of this.#open) process.heal();
  }

  /** Answers whether all that is alive has closed. */
  async close(): Promise<boolean> {
    const alive = this.#open.filter(({ process }) => !process.isDead());
    const closing = Promise.all(alive.map(({ queuert }) => queuert.close())).then(() => true);
    let timer: unknown;
    const late = new Promise<boolean>((resolve) => {
      timer = this.clock.setTimeout(() => resolve(false), stopMs);
    });
    const isClosed = await Promise.race([closing, late]);
    this.clock.clearTimeout(timer as never);
    if (this.#given.notifyAdapter === undefined) await this.#notify.close();
    return isClosed;
  }

  report(violations: readonly TortureViolation[], jobs: number): TortureReport {
    return {
      ...{ violations, jobs, seed: this.#given.seed ?? 1 },
      ...{ attempts: this.attempts.seen.length, faults: { ...this.#counts } },
    };
  }
}
