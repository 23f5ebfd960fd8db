// The loop of a worker with an end, for functions that are called from time to time, and for tests. It runs the jobs that
// are due, waits for them, and leaves nothing open.
//
//   reclaim ─▶ fire due schedules ─▶ acquire for free slots only ─▶ … ─▶ nothing is due, or the time for new jobs is over
//           ─▶ wait for running jobs ─▶ at the end of the budget their signals are aborted ─▶ settle, hand back, close
import { settleOrTimeout } from "../async/time-limit.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { reclaimExpiredLeases } from "../lifecycle/reclaim-expired-leases.ts";
import type { ProcessOnceResult } from "../public-types/process-once.ts";
import { acquirableTypes, acquireNow } from "./acquire-loop.ts";
import { flushStatistics } from "./beat-loop.ts";
import type { ProcessOnceSettings } from "./process-once-options.ts";
import { OnceSchedules } from "./once-schedules.ts";
import { ProcessOnceTally } from "./process-once-tally.ts";
import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import { createWorkerParts, type WorkerParts } from "./worker-parts.ts";

/** How long a lease may last after the end of the budget: the jobs of a function that was killed come back soon. */
const leaseBeyondBudgetMs = 10_000;

/** Resolves when nothing of the call is left. Rejects with the error of an acquisition, after running jobs have ended. */
export const processOnce = async (
  engine: Engine,
  processors: readonly Processor[],
  call: OnceCall,
): Promise<ProcessOnceResult> => {
  const { settings, closing } = call;
  const { budgetMs } = settings;
  const created = createWorkerParts(engine, withShortLeases(processors, budgetMs), settings.worker);
  const tally = new ProcessOnceTally(engine.clock, created.attempts);
  // At once: a short job has ended when the acquisition resolves.
  const parts: WorkerParts = {
    ...created,
    onAcquired: () => tally.took(),
  };
  const { typeNames, options } = parts;
  const { workerId, concurrency } = options;
  const schedules = new OnceSchedules(engine, parts);
  const run: Run = { ...call, engine, parts, schedules };
  const onClosing = (): void => parts.room.wake();
  closing.addEventListener("abort", onClosing);
  engine.observer.emit("workerStarted", () => ({ workerId, typeNames, concurrency }));
  parts.gauges.open();
  let nextDueInMs: number | null = 0;
  try {
    await reclaimExpiredLeases(engine, workerId);
    nextDueInMs = await runDueJobs(run, tally);
  } finally {
    await untilIdle(run);
    await stop(run);
    closing.removeEventListener("abort", onClosing);
  }
  return { ...tally.total(), nextDueInMs };
};

/** One call. */
interface OnceCall {
  readonly settings: ProcessOnceSettings;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
  /** The budget begins here, before this file is loaded. */
  readonly begunAt: number;
}

interface Run extends OnceCall {
  readonly engine: Engine;
  readonly parts: WorkerParts;
  readonly schedules: OnceSchedules;
}

const withShortLeases = (
  processors: readonly Processor[],
  budgetMs: number,
): readonly Processor[] =>
  processors.map((processor) => {
    const leaseMs = Math.min(processor.leaseMs, budgetMs + leaseBeyondBudgetMs);
    const { batch } = processor;
    return {
      ...processor,
      // Until nothing is due: a batch does not wait for more jobs.
      batch: batch !== null && budgetMs === Infinity ? { ...batch, minSize: 1 } : batch,
      leaseMs,
      renewIntervalMs: Math.min(processor.renewIntervalMs, leaseMs / 3),
    };
  });

/** Returns the milliseconds until the next job or tick is due: 0 if the time, or the number of jobs, was used up. */
const runDueJobs = async (run: Run, tally: ProcessOnceTally): Promise<number | null> => {
  const { engine, parts, schedules, settings, closing } = run;
  const { slots, attempts } = parts;
  const isOver = (): boolean => closing.aborted || msForNewJobs(run, tally.longestMs) <= 0;
  for (;;) {
    tally.count();
    const msLeft = msForNewJobs(run, tally.longestMs);
    const jobsLeft = settings.maxJobs - tally.takenCount;
    if (closing.aborted || msLeft <= 0 || jobsLeft <= 0) return 0;
    if (schedules.msUntilDue === 0) await schedules.fire(isOver);
    const limit = slots.concurrency - slots.activeCount - slots.queuedCount;
    const types = acquirableTypes(engine, parts);
    if (limit <= 0 || types.length === 0) {
      await untilRoom(run, msLeft);
      continue;
    }
    // A job that settles during the acquisition may make others due, which the acquisition does not see.
    const wasIdle = attempts.size === 0;
    const renewing = engine.ownLeases.renewIfLate();
    if (renewing !== null) await renewing;
    const room = { limit, jobsMax: jobsLeft };
    const { result } = (await acquireNow(engine, parts, types, room)).acquired;
    if (result.jobs.length > 0) continue;
    if (wasIdle) {
      // Another process may have stored a schedule since the last look.
      const { hasFired, nextInMs } = await schedules.fire(isOver);
      if (hasFired) continue;
      return soonest(result.nextDueInMs, nextInMs);
    }
    await untilRoom(run, Math.min(msLeft, result.nextDueInMs || msLeft));
  }
};

const soonest = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? (first ?? second) : Math.min(first, second);

/** How long new jobs may still begin. The reserve at the end is as long as the longest attempt so far. */
const msForNewJobs = ({ engine, settings, begunAt }: Run, longestMs: number): number => {
  const { budgetMs, reserveMs } = settings;
  if (budgetMs === Infinity) return Infinity;
  const reserved = reserveMs ?? Math.min(Math.max(defaultReserveMs, longestMs), budgetMs / 2);
  return begunAt + budgetMs - reserved - engine.clock.now();
};

const defaultReserveMs = 2_000;

/** Until a slot is free and its outcome is stored: continuations and dependants are due then. */
const untilRoom = async ({ parts, schedules, closing }: Run, ms: number): Promise<void> => {
  const { slots, room, settler } = parts;
  if (slots.activeCount > 0) {
    room.clear();
    // The client may have been closed during an acquisition: that wake has just been cleared.
    const waitMs = Math.min(ms, schedules.msUntilDue || ms, limits.timerMsMax);
    if (!closing.aborted) await room.wait(waitMs);
  }
  await settler.whenIdle();
};

/** Running jobs have until the end of the budget. */
const untilIdle = async ({ engine, parts, settings, closing, begunAt }: Run): Promise<void> => {
  const { slots, room, settler } = parts;
  for (;;) {
    room.clear();
    const msLeft = begunAt + settings.budgetMs - engine.clock.now();
    if (slots.activeCount === 0 || msLeft <= 0 || closing.aborted) break;
    await room.wait(Math.min(msLeft, limits.timerMsMax));
  }
  if (slots.activeCount === 0) await settler.whenIdle();
};

/** Jobs that still run are told to end. A job that does not end is left behind, and its lease expires. */
const stop = async ({ engine, parts }: Run): Promise<void> => {
  const options = { ...parts.options, shutdownGraceMs: 0, shutdownTimeoutMs: lastStatementMs };
  await stopWorker(engine, { ...parts, options }, Promise.resolve(), async () => {
    const last = Promise.all([
      parts.storeClock.stopped(),
      flushStatistics(engine),
      engine.logWriter?.flush(),
    ]);
    await settleOrTimeout(engine.clock, last, lastStatementMs);
    parts.gauges.close();
  });
};
