// A worker with a retention deletes finished trees at an interval, beside its work. Several workers may do so: each
// statement deletes the trees that are still there.
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import { deleteFinished } from "../lifecycle/delete-finished.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Resolves after `stopping` is aborted. Never rejects. */
export const retentionLoop = async (
  engine: Engine,
  { options: { retention }, stopping, onError }: WorkerParts,
): Promise<void> => {
  if (retention === null) return;
  const { signal } = stopping;
  for (;;) {
    // Spread, so that workers started together do not delete together.
    await sleep(engine.clock, retention.intervalMs * (0.5 + 0.5 * engine.random()), signal);
    if (signal.aborted) return;
    try {
      await deleteFinished(engine, retention, signal);
    } catch (error) {
      onError("delete finished jobs", error);
    }
  }
};
