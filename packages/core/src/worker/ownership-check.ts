// Notifications that a job has changed hands. They come from other processes and can be forged: they are hints, and
// the store decides. Their cost is bounded. Ids of jobs that this worker does not hold are dropped without a query.
// The others share one query at a time, with a pause after it.
import { sleep } from "../async/sleep.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { checkOwnership } from "../lifecycle/attempt-events.ts";
import type { Attempt, HeldAttempts } from "../lifecycle/process-job/attempt.ts";

export interface OwnershipCheck {
  /** A notification names this job. */
  notified(jobId: string): void;
  stop(): void;
}

/** The pause after each check. A genuine notification is in the first one. */
const pauseMs = 100;

/** More ids than this are not remembered: they are compared with the held jobs at once. */
const namedMax = 1_000;

export const createOwnershipCheck = (engine: Engine, attempts: HeldAttempts): OwnershipCheck => {
  const named = new Set<string>();
  const doubted = new Set<Attempt>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let isRunning = false;

  const compare = (): void => {
    for (const attempt of attempts) {
      if (!attempt.isOver && named.has(attempt.job.id)) doubted.add(attempt);
    }
    named.clear();
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    while (named.size + doubted.size > 0 && !signal.aborted) {
      // The ids of one message arrive in one turn.
      await engine.clock.yield();
      compare();
      const checked = [...doubted];
      doubted.clear();
      await checkOwnership(engine, checked);
      await sleep(engine.clock, pauseMs, signal);
    }
    isRunning = false;
  };

  return {
    notified: (jobId) => {
      if (attempts.size === 0 || signal.aborted || jobId.length > limits.nameLengthMax) return;
      named.add(jobId);
      if (named.size >= namedMax) compare();
      if (!isRunning) void run();
    },
    stop: () => stopping.abort(),
  };
};
