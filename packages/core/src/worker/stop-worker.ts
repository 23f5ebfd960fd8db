// Shutdown, in order: nothing new is claimed; what has not begun is handed back; running jobs may end; after the grace
// period their signal says so; after the timeout they are left behind, their leases to be reclaimed; what is
// settled is stored; everything opened is closed.
import { sleep } from "../async/sleep.ts";
import { within } from "../async/within.ts";
import type { Engine } from "../engine.ts";
import { WorkerShutdownError } from "../errors.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { endAttemptSpan } from "../lifecycle/process-job/attempt-span.ts";
import { handBackJobs } from "../lifecycle/reschedule-jobs.ts";
import { countAttempt } from "./process-attempt.ts";
import type { Slots } from "./slots.ts";
import type { Stages } from "./stages.ts";

/** How long a last statement is waited for: a store that does not answer must not keep a worker from stopping. */
export const lastStatementMs = 1_000;

/** Resolves within `shutdownTimeoutMs` and what one statement takes. Never rejects. */
export const stopWorker = async (
  engine: Engine,
  stages: Stages,
  claiming: Promise<void>,
  /** Closes the ears and balances the gauges. */
  end: () => Promise<void>,
): Promise<void> => {
  const { options, typeNames, keeper, giveUp, onError } = stages;
  const { workerId } = options;
  engine.observer.emit("workerStopping", () => ({ workerId, typeNames }));
  stages.stopping.abort();
  // A claim under way may still bring jobs, and running ones free their slots: neither begins another.
  stages.slots.close();
  stages.work.wake();
  stages.room.wake();
  const finished = new AbortController();
  const deadline = sleep(engine.clock, options.shutdownTimeoutMs, finished.signal).then(() => {
    // Statements under way are not waited for beyond this either.
    giveUp.abort();
  });
  const drained = drain(engine, stages, claiming);
  await Promise.race([drained, deadline]);
  finished.abort();
  const left = [...stages.attempts].filter(({ hasBegun, isOver }) => hasBegun && !isOver);
  if (left.length > 0) {
    const error = new WorkerShutdownError(workerId);
    onError(`wait any longer for ${left.length} running jobs; they run again elsewhere`, error);
  }
  await within(engine.clock, keeper.stop(), lastStatementMs);
  for (const attempt of stages.attempts) leaveBehind(engine, attempt);
  await end();
  engine.observer.emit("workerStopped", () => ({ workerId, typeNames }));
};

/** What goes on after this is not looked at any more: gauges and traces end with the worker. */
const leaveBehind = (engine: Engine, attempt: Attempt): void => {
  countAttempt(engine, attempt, false);
  attempt.error ??= new WorkerShutdownError(attempt.workerId);
  attempt.result = "abandoned";
  endAttemptSpan(attempt);
};

const drain = async (engine: Engine, stages: Stages, claiming: Promise<void>): Promise<void> => {
  const { options, slots, settler, onError } = stages;
  const grace = new AbortController();
  const warn = sleep(engine.clock, options.shutdownGraceMs, grace.signal).then(() => {
    if (grace.signal.aborted) return;
    for (const attempt of stages.attempts) if (!attempt.isOver) attempt.abort("shutdown");
  });
  // An acquisition under way may still bring jobs: they go back with the others.
  await claiming;
  try {
    const unbegun = slots.takeQueued(() => true);
    // Nobody's attempts here any more: a renewal would take them for lost.
    for (const attempt of unbegun) stages.attempts.delete(attempt);
    await handBackJobs(engine, unbegun);
  } catch (error) {
    onError("hand back what it had not begun; those leases expire", error);
  }
  await whenNoneActive(engine, slots, stages.giveUp.signal);
  grace.abort();
  await warn;
  await settler.whenIdle();
};

const whenNoneActive = async (engine: Engine, slots: Slots, giveUp: AbortSignal): Promise<void> => {
  // Looking is cheap, and a stop happens once: no slot has to know that somebody waits for it.
  while (slots.activeCount > 0 && !giveUp.aborted) await sleep(engine.clock, 5, giveUp);
};
