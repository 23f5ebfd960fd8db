// The loop of a worker with an end, for functions that are called from time to time, and for tests. It runs the jobs that
// are due, waits for them, and leaves nothing open.
//
//   reclaim ─▶ acquire for free slots only ─▶ … ─▶ nothing is due, or the time for new jobs is over
//           ─▶ wait for running jobs ─▶ at the end of the budget their signals are aborted ─▶ settle, hand back, close
import { settleOrTimeout } from "../async/time-limit.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { reclaimExpiredLeases } from "../lifecycle/reclaim-expired-leases.ts";
import type { ProcessOnceResult } from "../public-types/process-once.ts";
import { acquirableTypes, acquireNow } from "./acquire-loop.ts";
import type { ProcessOnceSettings } from "./process-once-options.ts";
import { ProcessOnceTally } from "./process-once-tally.ts";
import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import { createWorkerParts, type WorkerParts } from "./worker-parts.ts";

/** How long a lease may last after the end of the budget: the jobs of a function that was killed come back soon. */
const leaseBeyondBudgetMs = 10_000;

/** Resolves when nothing of the call is left. Rejects with the error of an acquisition, after running jobs have ended. */
export const processOnce = async (
  engine: Engine,
  processors: readonly Processor[],
  settings: ProcessOnceSettings,
  /** Aborted when the client is closed. */
  closing: AbortSignal,
): Promise<ProcessOnceResult> => {
  const { budgetMs } = settings;
  const created = createWorkerParts(engine, withShortLeases(processors, budgetMs), settings.worker);
  const tally = new ProcessOnceTally(engine.clock, created.attempts);
  // At once: a short job has ended when the acquisition resolves.
  const parts: WorkerParts = {
    ...created,
    onAcquired: (jobs, begunAt) => {
      created.onAcquired(jobs, begunAt);
      tally.took();
    },
  };
  const { typeNames, options } = parts;
  const { workerId, concurrency } = options;
  const run: Run = { engine, parts, settings, closing, begunAt: engine.clock.now() };
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
interface Run {
  readonly engine: Engine;
  readonly parts: WorkerParts;
  readonly settings: ProcessOnceSettings;
  readonly closing: AbortSignal;
  readonly begunAt: number;
}

const withShortLeases = (
  processors: readonly Processor[],
  budgetMs: number,
): readonly Processor[] =>
  processors.map((processor) => {
    const leaseMs = Math.min(processor.leaseMs, budgetMs + leaseBeyondBudgetMs);
    return {
      ...processor,
      leaseMs,
      renewIntervalMs: Math.min(processor.renewIntervalMs, leaseMs / 3),
    };
  });

/** Returns the milliseconds until the next job is due: 0 if the time, or the number of jobs, was used up. */
const runDueJobs = async (run: Run, tally: ProcessOnceTally): Promise<number | null> => {
  const { engine, parts, settings, closing } = run;
  const { slots, attempts } = parts;
  for (;;) {
    tally.count();
    const msLeft = msForNewJobs(run, tally.longestMs);
    const jobsLeft = settings.maxJobs - tally.takenCount;
    if (closing.aborted || msLeft <= 0 || jobsLeft <= 0) return 0;
    const limit = Math.min(slots.concurrency - slots.activeCount - slots.queuedCount, jobsLeft);
    const types = acquirableTypes(engine, parts);
    if (limit <= 0 || types.length === 0) {
      await untilRoom(run, msLeft);
      continue;
    }
    // A job that settles during the acquisition may make others due, which the acquisition does not see.
    const wasIdle = attempts.size === 0;
    const renewing = engine.ownLeases.renewIfLate();
    if (renewing !== null) await renewing;
    const { result } = await acquireNow(engine, parts, types, limit);
    if (result.jobs.length > 0) continue;
    if (wasIdle) return result.nextDueInMs;
    await untilRoom(run, Math.min(msLeft, result.nextDueInMs || msLeft));
  }
};

/** How long new jobs may still begin. The reserve at the end is as long as the longest attempt so far. */
const msForNewJobs = ({ engine, settings, begunAt }: Run, longestMs: number): number => {
  const { budgetMs, reserveMs } = settings;
  if (budgetMs === Infinity) return Infinity;
  const reserved = reserveMs ?? Math.min(Math.max(defaultReserveMs, longestMs), budgetMs / 2);
  return begunAt + budgetMs - reserved - engine.clock.now();
};

const defaultReserveMs = 2_000;

/** Until a slot is free and its outcome is stored: continuations and dependants are due then. */
const untilRoom = async ({ parts, closing }: Run, ms: number): Promise<void> => {
  const { slots, room, settler } = parts;
  if (slots.activeCount > 0) {
    room.clear();
    // The client may have been closed during an acquisition: that wake has just been cleared.
    if (!closing.aborted) await room.wait(Math.min(ms, limits.timerMsMax));
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
    await settleOrTimeout(engine.clock, parts.storeClock.stopped(), lastStatementMs);
    parts.gauges.close();
  });
};
