// The registry of workers: one report of all workers of a client, at an interval. Operators see from it which workers live. The
// walk of a job does not depend on it, so a report that fails is not repeated before its time.
import { randomUUID } from "node:crypto";
import type { WorkerBeat } from "../adapters/operator-store.ts";
import { sleep } from "../async/sleep.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";
import { libraryVersion } from "./library-version.ts";
import { isProvenGone, ownProcess } from "./process-identity.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Between two reports, while a slot is busy and otherwise. */
const busyMs = 10_000;
const idleMs = 30_000;
/** Each interval varies by this share, so that processes do not report together. */
const spread = 0.2;
/** With many processes the interval grows: all together make at most 20 reports a second. */
const perProcessMs = 50;
/** Older reports are removed. */
const forgetAfterMs = 24 * 60 * 60_000;
/** Counts of attempts: minutes for a day, hours for 90 days. */
const minutesKeptMs = 24 * 60 * 60_000;
const hoursKeptMs = 90 * 24 * 60 * 60_000;
/** A store that does not respond must not keep a worker from starting or stopping. */
const patienceMs = 1_000;

type Report = (intervalMs: number) => WorkerBeat;

/** The workers of one client. */
class BeatLoop {
  readonly #engine: Engine;
  readonly #reports = new Map<string, Report>();
  #processCount = 1;
  #stop: AbortController | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  join(instanceId: string, report: Report): void {
    this.#reports.set(instanceId, report);
    if (this.#stop !== null) {
      // The others are reported again, which does no harm.
      void this.#beat();
      return;
    }
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  async leave(instanceId: string, last: WorkerBeat): Promise<void> {
    this.#reports.delete(instanceId);
    if (this.#reports.size === 0) {
      this.#stop?.abort();
      this.#stop = null;
    }
    await settleOrTimeout(this.#engine.clock, this.#send([last]), patienceMs);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#engine;
    while (!signal.aborted) {
      const intervalMs = await this.#beat();
      await sleep(clock, intervalMs * (1 - spread + 2 * spread * random()), signal);
    }
  }

  /** Returns the time to the next report. */
  async #beat(): Promise<number> {
    const least = this.#processCount * perProcessMs;
    const isBusy = [...this.#reports.values()].some((report) => report(0).busy > 0);
    const intervalMs = Math.max(isBusy ? busyMs : idleMs, least);
    const longestMs = Math.ceil(intervalMs * (1 + spread));
    await this.#send([...this.#reports.values()].map((report) => report(longestMs)));
    return intervalMs;
  }

  async #send(workers: readonly WorkerBeat[]): Promise<void> {
    await flushStatistics(this.#engine);
    try {
      const answer = await this.#engine.state.operator?.beat?.({
        process: ownProcess(),
        workers,
        forgetAfterMs,
      });
      if (answer !== undefined) this.#processCount = Math.max(1, answer.processCount);
    } catch (error) {
      this.#engine.observer.emit("stateAdapterError", () => ({ operation: "beat", error }));
    }
  }
}

/** Stores the counts of attempts since the last call. Counts that could not be stored wait for the next one. */
export const flushStatistics = async ({ state, statistics, observer }: Engine): Promise<void> => {
  const entries = statistics?.take() ?? [];
  if (entries.length === 0) return;
  try {
    await state.operator?.recordMetrics?.({ entries, minutesKeptMs, hoursKeptMs });
  } catch (error) {
    statistics?.putBack(entries);
    observer.emit("stateAdapterError", () => ({ operation: "recordMetrics", error }));
  }
};

const loops = new WeakMap<Engine, BeatLoop>();

const loopOf = (engine: Engine): BeatLoop => {
  const found = loops.get(engine) ?? new BeatLoop(engine);
  loops.set(engine, found);
  return found;
};

/** Reports a worker until it leaves. Returns how it leaves. */
export const joinRegistry = (
  engine: Engine,
  { options, processors, slots, stopping }: WorkerParts,
): (() => Promise<void>) => {
  if (!engine.reportsWorkers || engine.state.operator?.beat === undefined) {
    return () => Promise.resolve();
  }
  const instanceId = randomUUID();
  const { workerId, concurrency } = options;
  const types = processors.map(({ typeName, concurrency: own, timeoutMs, batch }) => ({
    ...{ typeName, concurrency: own },
    ...(timeoutMs !== null && { timeoutMs }),
    ...(batch !== null && {
      batch: {
        ...{ minSize: batch.minSize, maxWaitMs: batch.maxWaitMs },
        ...(batch.perKey && { perKey: true }),
      },
    }),
  }));
  const report = (beatMs: number): WorkerBeat => ({
    instanceId,
    workerId,
    state: stopping.signal.aborted ? "stopping" : "running",
    types,
    concurrency,
    busy: slots.activeCount,
    beatMs,
    libraryVersion,
  });
  const loop = loopOf(engine);
  loop.join(instanceId, report);
  return () => loop.leave(instanceId, { ...report(idleMs), state: "stopped", busy: 0 });
};

/**
 * A worker that starts again under its old name acquires the jobs of its predecessor at once. This needs the proof that the
 * predecessor's process is gone. If any worker of the name may still live, their leases expire in their own time.
 */
export const takeBackLeases = async (engine: Engine, workerId: string): Promise<void> => {
  const taking = tryTakeBack(engine, workerId).catch((error: unknown) => {
    engine.observer.emit("stateAdapterError", () => ({ operation: "expireLeases", error }));
  });
  await settleOrTimeout(engine.clock, taking, patienceMs);
};

const tryTakeBack = async ({ state, reportsWorkers }: Engine, workerId: string): Promise<void> => {
  const { operator } = state;
  if (!reportsWorkers) return;
  if (operator?.readClock === undefined || operator.expireLeases === undefined) return;
  // Before this worker's first acquisition: its own leases are later.
  const acquiredBefore = await operator.readClock();
  const workers = (await operator.listWorkers?.()) ?? [];
  const sameName = workers.filter((each) => each.workerId === workerId && each.state !== "stopped");
  if (sameName.length === 0 || !sameName.every(isProvenGone)) return;
  await operator.expireLeases({ workerId, acquiredBefore });
  for (const { host, pid, machine, processStart, startedAt, beatAt, ...worker } of sameName) {
    void startedAt;
    void beatAt;
    await operator.beat?.({
      process: { host, pid, machine, processStart },
      workers: [{ ...worker, state: "stopped", busy: 0 }],
      forgetAfterMs,
    });
  }
};
