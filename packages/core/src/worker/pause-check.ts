// A pause has begun: jobs of its types that have been acquired and have not begun are handed back at once. The notification comes
// from other processes and can be forged: it is a hint, and the store has the pauses. A lost one costs the second after
// which such jobs are handed back anyway.
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import type { WorkerParts } from "./worker-parts.ts";

export interface PauseCheck {
  /** A notification says that pauses have changed. */
  notified(): void;
  stop(): void;
}

/** The pause after each look: a flood of forged messages costs one look for each of these times. */
const pauseMs = 100;

/** The second look finds the jobs of an acquisition that was under way at the first. */
const looksMax = 2;

export const createPauseCheck = (
  engine: Engine,
  { slots, keeper, onError }: Pick<WorkerParts, "slots" | "keeper" | "onError">,
): PauseCheck => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let looks = 0;
  let isRunning = false;

  const look = async (): Promise<void> => {
    const pauses = await engine.state.getPauses();
    const paused = new Set(pauses.map(({ typeName }) => typeName));
    await keeper.handBack(({ job }) => paused.has(null) || paused.has(job.typeName));
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    while (looks > 0 && !signal.aborted) {
      looks--;
      if (slots.queuedCount > 0) {
        await look().catch((error: unknown) => onError("hand back jobs of paused types", error));
      }
      await sleep(engine.clock, pauseMs, signal);
    }
    isRunning = false;
  };

  return {
    notified: () => {
      looks = looksMax;
      if (!isRunning && !signal.aborted) void run();
    },
    stop: () => stopping.abort(),
  };
};
