// Runs all that is due, and skips the time in between. The next event is a due time, a tick of a schedule, or the end of a lease
// whose attempt has crashed.
import type { Engine } from "../engine.ts";
import { sleep } from "../async/sleep.ts";
import type { DrainOptions, ProcessOnceResult } from "../public-types/process-once.ts";
import { fireDueSchedules } from "../schedules/fire-schedules.ts";
import type { StateJob } from "../model/state-job.ts";
import { JobLockedError, TimeTravelError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import type { VirtualStore } from "./virtual-time.ts";

/** A worker, as the kit runs it. */
export interface DrainableWorker {
  drain(options?: DrainOptions): Promise<ProcessOnceResult>;
}

export interface DrainParts {
  readonly engine: Engine;
  readonly store: VirtualStore;
  readonly faults: Faults;
  readonly workers: readonly DrainableWorker[];
  readonly concurrency: number;
}

const lockedRetry = { delayMs: 25, patienceMs: 5_000 };

/** Returns the milliseconds that were skipped. */
export const drainAndSkip = async (parts: DrainParts, skipMs: number): Promise<number> => {
  let skippedMs = 0;
  for (;;) {
    const nextInMs = await runDue(parts);
    if (nextInMs === null || skippedMs + nextInMs > skipMs) return skippedMs;
    await passTime(parts, nextInMs);
    skippedMs += nextInMs;
  }
};

/** Runs until nothing is due. Returns the milliseconds until something is, or null. */
const runDue = async (parts: DrainParts): Promise<number | null> => {
  const { engine, workers, concurrency } = parts;
  let lockedSinceMs: number | null = null;
  for (;;) {
    const firedCount = await fireSchedules(engine);
    let ranCount = 0;
    const dueTimes: (number | null)[] = [];
    for (const worker of workers) {
      const { nextDueInMs, ...counts } = await worker.drain({ concurrency });
      ranCount += Object.values(counts).reduce((sum, count) => sum + count, 0);
      dueTimes.push(nextDueInMs);
    }
    if (ranCount + firedCount > 0) {
      lockedSinceMs = null;
      continue;
    }
    if (!dueTimes.includes(0)) return nextOf(parts, dueTimes);
    // Due, and not acquired: it is locked. Its transaction may be about to end.
    lockedSinceMs ??= engine.clock.now();
    if (engine.clock.now() - lockedSinceMs > lockedRetry.patienceMs) throw new JobLockedError();
    await sleep(engine.clock, lockedRetry.delayMs);
  }
};

/** Runs at most one attempt. Returns whether it did. */
export const runOne = async ({ engine, workers }: DrainParts): Promise<boolean> => {
  await fireSchedules(engine);
  for (const worker of workers) {
    const { nextDueInMs: _, ...counts } = await worker.drain({ concurrency: 1, maxJobs: 1 });
    if (Object.values(counts).some((count) => count > 0)) return true;
  }
  return false;
};

const fireSchedules = async (engine: Engine): Promise<number> => {
  let firedCount = 0;
  while ((await engine.state.nextScheduleInMs()) === 0) {
    const count = await fireDueSchedules(engine);
    // All of them are locked by another worker.
    if (count === 0) break;
    firedCount += count;
  }
  return firedCount;
};

const nextOf = async (
  { engine, store, faults }: DrainParts,
  dueTimes: readonly (number | null)[],
): Promise<number | null> => {
  const crashed = (await listRunning(engine)).filter((job) => hasCrashed(faults, job));
  const now = (await store.now()).getTime();
  const times = [
    ...dueTimes,
    await engine.state.nextScheduleInMs(),
    ...crashed.map(({ leasedUntil }) => (leasedUntil?.getTime() ?? now) - now),
  ].filter((ms) => ms !== null);
  // Past the instant, by any rounding of the store's clock.
  return times.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...times)));
};

/** Lets time pass, unless a job runs: its lease would expire, and it would run twice. */
export const passTime = async (
  { engine, store, faults }: DrainParts,
  ms: number,
): Promise<void> => {
  const running = (await listRunning(engine)).find((job) => !hasCrashed(faults, job));
  if (running !== undefined) {
    throw new TimeTravelError(
      `job ${running.id} of type "${running.typeName}" is running on worker "${running.leasedBy ?? "?"}", ` +
        "and its lease would expire: wait for it, or stop that worker",
    );
  }
  await store.pass(ms);
  // Workers that the test has started find their jobs at once.
  engine.local.jobsMayBeDue();
};

const hasCrashed = (faults: Faults, { id, leaseVersion }: StateJob): boolean =>
  faults.hasCrashed({ jobId: id, leaseVersion });

const listRunning = ({ state }: Engine): Promise<readonly StateJob[]> =>
  state.listJobs({
    typeNames: null,
    statuses: ["running"],
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    order: "asc",
    limit: 1_000,
    afterOrdinal: null,
  });
