// One running worker: listens, then claims; the returned function ends it.
import type { StopListening } from "../adapters/notify-adapter.ts";
import { within } from "../async/within.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { claimLoop, demandOf } from "./claim.ts";
import { listenResiliently } from "./listen.ts";
import { createOwnershipCheck } from "./ownership-check.ts";
import { createStages, type Stages } from "./stages.ts";
import { retentionLoop } from "./retention-loop.ts";
import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** Resolves when the worker listens and claims; what it returns resolves when nothing of it is left. */
export const startWorker = async (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): Promise<() => Promise<void>> => {
  const stages = createStages(engine, processors, options);
  const { typeNames } = stages;
  const { workerId, concurrency } = options;
  // Before the first look: what is announced after it is heard.
  const stopListening = await listen(engine, stages);
  engine.observer.emit("workerStarted", () => ({ workerId, typeNames, concurrency }));
  const { connectionsMax = Number.POSITIVE_INFINITY } = engine.state.capabilities;
  if (concurrency > connectionsMax) {
    const data = { workerId, typeNames, concurrency, connectionsMax };
    engine.observer.emit("workerLacksConnections", () => data);
  }
  changeIdle(engine, stages, 1);
  const claiming = claimLoop(engine, stages);
  const sweeping = retentionLoop(engine, stages);

  const end = async (): Promise<void> => {
    await within(engine.clock, sweeping, lastStatementMs);
    await stopListening();
    changeIdle(engine, stages, -1);
  };
  let stopped: Promise<void> | null = null;
  return () => (stopped ??= stopWorker(engine, stages, claiming, end));
};

const listen = async (engine: Engine, stages: Stages): Promise<StopListening> => {
  const { typeNames, stopping, work, hints, foresight, attempts } = stages;
  const ownership = createOwnershipCheck(engine, attempts);
  const missedSome = (): void => {
    foresight.forget();
    work.wake();
  };
  const own = engine.local.addWorker({
    typeNames,
    onJobScheduled: (_typeName, count) => {
      // A count that is not a number of jobs is as good as none.
      if (count === undefined || !(count > 0 && count <= limits.concurrencyMax)) {
        return missedSome();
      }
      hints.add(count);
      work.wake();
    },
    demand: (typeName, offered) =>
      stopping.signal.aborted ? 0 : demandOf(stages, typeName, offered),
    onOwnershipLost: (jobId) => ownership.notified(jobId),
  });
  const stops = await Promise.all([
    listenResiliently(engine, () => engine.notify.listenJobScheduled(own.listener), missedSome),
    listenResiliently(
      engine,
      () =>
        engine.notify.listenJobOwnershipLost({
          onOwnershipLost: (jobId) => ownership.notified(jobId),
        }),
      // What was lost meanwhile is seen with the next renewal.
      () => undefined,
    ),
  ]);
  return async () => {
    own.remove();
    ownership.stop();
    await Promise.all(stops.map((stop) => stop()));
  };
};

/** A worker counts as idle for a type once per slot that could take one of its jobs. */
const changeIdle = (engine: Engine, { processors, options }: Stages, sign: 1 | -1): void => {
  const { workerId, concurrency } = options;
  for (const { typeName, concurrency: ownLimit } of processors) {
    const delta = sign * Math.min(concurrency, ownLimit ?? concurrency);
    engine.observer.idleChanged({ typeName, workerId, delta });
  }
};
