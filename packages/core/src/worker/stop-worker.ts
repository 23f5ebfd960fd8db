// Shutdown, in order. No job is acquired any more, and jobs that have not begun are handed back. Running jobs may end.
// After the grace period their signal is aborted; after the timeout they are left behind, and their leases expire. Outcomes
// are stored. Everything that the worker has opened is closed.
import { sleep } from "../async/sleep.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";
import { WorkerShutdownError } from "../errors.ts";
import { endAttemptSpan } from "../lifecycle/attempt-events.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { handBackJobs } from "../lifecycle/reschedule-jobs.ts";
import type { Slots } from "./acquire-state.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** How long a last statement is awaited: a store that does not respond must not keep a worker from stopping. */
export const lastStatementMs = 1_000;

/** When a stop that still waits is reported: first after this time, and then at this interval. */
const firstReportMs = 2_000;
const reportIntervalMs = 10_000;

/** So many running jobs are named in a report. */
const namedMax = 10;

/** Resolves within `shutdownTimeoutMs` and the time of one statement. Never rejects. */
export const stopWorker = async (
  engine: Engine,
  parts: WorkerParts,
  acquiring: Promise<void>,
  /** Stops listening and balances the gauges. */
  end: () => Promise<void>,
): Promise<void> => {
  const { options, typeNames, keeper, giveUp, onError } = parts;
  const { workerId } = options;
  engine.observer.emit("workerStopping", () => ({ workerId, typeNames }));
  parts.stopping.abort();
  // An acquisition under way may still bring jobs, and running jobs free their slots: neither begins another job.
  parts.slots.close();
  parts.work.wake();
  parts.room.wake();
  const finished = new AbortController();
  const reporting = reportWaiting(engine, parts, finished.signal);
  const deadline = sleep(engine.clock, options.shutdownTimeoutMs, finished.signal).then(() => {
    // Statements under way are not awaited beyond this either.
    giveUp.abort();
  });
  const drained = drain(engine, parts, acquiring);
  await Promise.race([drained, deadline]);
  finished.abort();
  await reporting;
  const left = runningOf(parts);
  if (left.length > 0) {
    const names = left.slice(0, namedMax).map(({ job }) => `${job.typeName} ${job.id}`);
    const more = left.length > namedMax ? ` and ${left.length - namedMax} more` : "";
    const operation = `wait any longer for ${names.join(", ")}${more}; their leases will expire`;
    onError(operation, new WorkerShutdownError(workerId));
  }
  for (const attempt of parts.attempts) leaveBehind(parts, attempt);
  await Promise.all([settleOrTimeout(engine.clock, keeper.stop(), lastStatementMs), end()]);
  engine.observer.emit("workerStopped", () => ({ workerId, typeNames }));
};

const runningOf = ({ attempts }: WorkerParts): readonly Attempt[] =>
  [...attempts].filter(({ hasBegun, isOver }) => hasBegun && !isOver);

const reportWaiting = async (
  engine: Engine,
  parts: WorkerParts,
  finished: AbortSignal,
): Promise<void> => {
  const { clock, observer } = engine;
  const startedAt = clock.now();
  for (let afterMs = firstReportMs; ; afterMs = reportIntervalMs) {
    await sleep(clock, afterMs, finished);
    if (finished.aborted) return;
    const now = clock.now();
    const running = runningOf(parts);
    observer.emit("workerStopDelayed", () => ({
      workerId: parts.options.workerId,
      typeNames: parts.typeNames,
      waitedMs: now - startedAt,
      runningCount: running.length,
      running: running.slice(0, namedMax).map(({ job, startedAt: begunAt, abortReason }) => ({
        id: job.id,
        typeName: job.typeName,
        runningMs: now - begunAt,
        isSignalled: abortReason !== null,
      })),
    }));
  }
};

/** Later effects of this attempt are not observed any more: gauges and traces end with the worker. */
const leaveBehind = ({ gauges }: WorkerParts, attempt: Attempt): void => {
  gauges.count(attempt, false);
  attempt.error ??= new WorkerShutdownError(attempt.workerId);
  attempt.result = "abandoned";
  endAttemptSpan(attempt);
};

const drain = async (
  engine: Engine,
  parts: WorkerParts,
  acquiring: Promise<void>,
): Promise<void> => {
  const { options, slots, settler, onError } = parts;
  const grace = new AbortController();
  const warning = sleep(engine.clock, options.shutdownGraceMs, grace.signal).then(() => {
    if (grace.signal.aborted) return;
    for (const attempt of parts.attempts) if (!attempt.isOver) attempt.abort("shutdown");
  });
  // An acquisition under way may still bring jobs: they are handed back with the others.
  await acquiring;
  try {
    const unbegun = slots.takeQueued(() => true);
    // No longer held: a renewal would report them as lost.
    for (const attempt of unbegun) parts.attempts.delete(attempt);
    await handBackJobs(engine, unbegun);
  } catch (error) {
    onError("hand back jobs that had not begun; their leases will expire", error);
  }
  await whenNoneActive(engine, slots, parts.giveUp.signal);
  grace.abort();
  await warning;
  await settler.whenIdle();
};

const whenNoneActive = async (engine: Engine, slots: Slots, giveUp: AbortSignal): Promise<void> => {
  // A check is cheap, and a stop happens once: no slot has to notify it.
  while (slots.activeCount > 0 && !giveUp.aborted) await sleep(engine.clock, 5, giveUp);
};
