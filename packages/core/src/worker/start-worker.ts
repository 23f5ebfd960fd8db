// One running worker: it listens, then acquires; `stop` ends it.
import type { StopListening } from "../adapters/notify-adapter.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { demandOf, runAcquireLoop } from "./acquire-loop.ts";
import { listenResiliently } from "./listen.ts";
import { createOwnershipCheck } from "./ownership-check.ts";
import { retentionLoop } from "./retention-loop.ts";
import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import type { WorkerOptions } from "./worker-options.ts";
import { createWorkerParts, type WorkerParts } from "./worker-parts.ts";

export interface StartedWorker {
  /** Resolves when the first acquisition has succeeded, or the worker was stopped; rejects if it failed. */
  readonly ready: Promise<void>;
  /** Resolves when nothing of the worker is left. */
  readonly stop: () => Promise<void>;
}

/** Resolves when the worker listens and acquires. */
export const startWorker = async (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): Promise<StartedWorker> => {
  const parts = createWorkerParts(engine, processors, options);
  const { typeNames } = parts;
  const { workerId, concurrency } = options;
  // Before the first acquisition: a job that becomes due after it is notified.
  const stopListening = await listen(engine, parts);
  engine.observer.emit("workerStarted", () => ({ workerId, typeNames, concurrency }));
  const { connectionsMax = Number.POSITIVE_INFINITY } = engine.state.capabilities;
  if (concurrency > connectionsMax) {
    const data = { workerId, typeNames, concurrency, connectionsMax };
    engine.observer.emit("workerLacksConnections", () => data);
  }
  parts.gauges.open();
  const acquiring = runAcquireLoop(engine, parts);
  const retaining = retentionLoop(engine, parts);

  const end = async (): Promise<void> => {
    const statements = Promise.all([retaining, parts.storeClock.stopped()]);
    await Promise.all([
      settleOrTimeout(engine.clock, statements, lastStatementMs),
      stopListening(),
    ]);
    parts.gauges.close();
  };
  let stopped: Promise<void> | null = null;
  let onStopped: () => void = () => undefined;
  const whenStopped = new Promise<void>((resolve) => {
    onStopped = resolve;
  });
  const ready = Promise.race([acquiring.first, whenStopped]);
  // A start that does not wait for its store has no reader.
  ready.catch(() => undefined);
  return {
    ready,
    stop: () => (stopped ??= stopWorker(engine, parts, acquiring.ended, end).finally(onStopped)),
  };
};

const listen = async (engine: Engine, parts: WorkerParts): Promise<StopListening> => {
  const { typeNames, stopping, work, acquireState, attempts, onMissed } = parts;
  const ownership = createOwnershipCheck(engine, attempts);
  const onOwnershipLost = (jobId: string): void => ownership.notified(jobId);
  const local = engine.local.addWorker({
    typeNames,
    onJobScheduled: (_typeName, count) => {
      // A count that is not a number of jobs is as good as none.
      if (count === undefined || !(count > 0 && count <= limits.concurrencyMax)) return onMissed();
      acquireState.addHints(count);
      work.wake();
    },
    demand: (typeName, offered) =>
      stopping.signal.aborted ? 0 : demandOf(parts, typeName, offered),
    onOwnershipLost,
  });
  const stops = await Promise.all([
    listenResiliently(engine, () => engine.notify.listenJobScheduled(local.listener), onMissed),
    listenResiliently(
      engine,
      () => engine.notify.listenJobOwnershipLost({ onOwnershipLost }),
      // A loss that was missed meanwhile is found by the next renewal.
      () => undefined,
    ),
  ]);
  return async () => {
    local.remove();
    ownership.stop();
    await Promise.all(stops.map((stop) => stop()));
  };
};
