// One running worker and its parts. It listens, then acquires. Acquired jobs go to the slots, and from there to the settler. Their
// leases are kept until they are settled.
import type { StopListening } from "../adapters/notify-adapter.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { HeldAttempts } from "../lifecycle/process-job/attempt.ts";
import type { Batch } from "../lifecycle/process-job/batch.ts";
import { processAttempt } from "../lifecycle/process-job/process-attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { pausesChangedName } from "../lifecycle/pauses.ts";
import { waitersName } from "../lifecycle/local-listeners.ts";
import { schedulesChangedName } from "../schedules/schedule-changes.ts";
import { demandOf, runAcquireLoop, slotsOf } from "./acquire-loop.ts";
import { AcquireState, createWakeFlag, Slots, type WakeFlag } from "./acquire-state.ts";
import { joinRegistry, takeBackLeases } from "./beat-loop.ts";
import { WorkerGauges } from "./gauges.ts";
import { LeaseKeeper } from "./keep-leases.ts";
import { listenResiliently } from "./listen-resiliently.ts";
import { createOwnershipCheck } from "./ownership-check.ts";
import { createPauseCheck } from "./pause-check.ts";
import { retentionLoop } from "./retention-loop.ts";
import { scheduleLoop } from "./schedule-loop.ts";
import { createSettler, type Settler } from "./settle.ts";

import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import { StoreClock } from "./store-clock.ts";
import type { WorkerOptions } from "./worker-options.ts";

export interface WorkerParts {
  readonly options: WorkerOptions;
  readonly processors: readonly Processor[];
  readonly byType: ReadonlyMap<string, Processor>;
  readonly typeNames: readonly string[];
  /** Held: queued, running, or waiting to be settled. */
  readonly attempts: HeldAttempts;
  readonly slots: Slots;
  readonly settler: Settler;
  readonly keeper: LeaseKeeper;
  readonly storeClock: StoreClock;
  readonly gauges: WorkerGauges;
  readonly acquireState: AcquireState;
  /** Set by notifications and by `stop`: a job may be due. */
  readonly work: WakeFlag;
  /** Set whenever a slot is free again. */
  readonly room: WakeFlag;
  /** Aborted when stopping begins. */
  readonly stopping: AbortController;
  /** Aborted when stopping has taken long enough. */
  readonly giveUp: AbortController;
  /** Counts the acquisitions. */
  readonly nextTurn: () => number;
  /** The jobs of an acquisition are in the slots. */
  readonly onAcquired: () => void;
  /** A job may have become due without a notification. */
  readonly onMissed: () => void;
  readonly onError: (operation: string, error: unknown) => void;
}

interface StartedWorker {
  /** Resolves when the first acquisition has succeeded, or the worker was stopped; rejects if it failed. */
  readonly ready: Promise<void>;
  /** Resolves when nothing of the worker is left. */
  readonly stop: () => Promise<void>;
}

/** Resolves when the worker listens and acquires; `stop` ends it. */
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
  if (options.isNamed) await takeBackLeases(engine, workerId);
  engine.observer.emit("workerStarted", () => ({ workerId, typeNames, concurrency }));
  const { connectionsMax = Number.POSITIVE_INFINITY } = engine.state.capabilities;
  if (concurrency > connectionsMax) {
    const data = { workerId, typeNames, concurrency, connectionsMax };
    engine.observer.emit("workerLacksConnections", () => data);
  }
  parts.gauges.open();
  const acquiring = runAcquireLoop(engine, parts);
  const retaining = retentionLoop(engine, parts);
  const leaveRegistry = joinRegistry(engine, parts);
  const scheduling = scheduleLoop(engine, parts);

  const end = async (): Promise<void> => {
    const statements = Promise.all([
      retaining,
      scheduling,
      parts.storeClock.stopped(),
      engine.logWriter?.flush(),
    ]);
    await Promise.all([
      settleOrTimeout(engine.clock, statements, lastStatementMs),
      stopListening(),
      leaveRegistry(),
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

/** Creates the parts; nothing runs yet. */
export const createWorkerParts = (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): WorkerParts => {
  const { workerId, concurrency } = options;
  const typeNames = processors.map(({ typeName }) => typeName);
  const attempts = new HeldAttempts();
  const stopping = new AbortController();
  const giveUp = new AbortController();
  const work = createWakeFlag(engine.clock);
  const room = createWakeFlag(engine.clock);
  const byType = new Map(processors.map((processor) => [processor.typeName, processor]));
  const gauges = new WorkerGauges(engine, workerId, concurrency, processors);
  // The end of a job under a key may let another job of the key start, which no notification announces.
  const hasKeys = typeNames.some((typeName) => engine.jobTypeLimits.has(typeName));
  const noteEnd = (): void => {
    if (hasKeys) acquireState.forget();
    if (acquireState.noteEnd() || hasKeys) work.wake();
  };
  const settler = createSettler(engine, workerId, attempts, giveUp.signal, noteEnd);
  const onError = (operation: string, error: unknown): void =>
    engine.observer.emit("workerError", () => ({ workerId, typeNames, operation, error }));
  const slots = createSlots(engine, concurrency, { gauges, settler, work, room, noteEnd });
  const acquireState: AcquireState = new AcquireState(engine.clock, slots, options.prefetch);
  const onMissed = (): void => {
    acquireState.forget();
    work.wake();
    room.wake();
  };
  const keeper = new LeaseKeeper(engine, {
    workerId,
    processors,
    attempts,
    slots,
    reapIntervalMs: options.reapIntervalMs,
    onHandedBack: (handedBack) => {
      for (const attempt of handedBack) attempts.delete(attempt);
      room.wake();
    },
    onRecovered: onMissed,
    onError,
  });
  const clockOf = { workerId, processors, attempts, onError, stopping: stopping.signal };
  const storeClock = new StoreClock(engine, clockOf);
  let turn = 0;
  return {
    nextTurn: () => turn++,
    options,
    processors,
    byType,
    typeNames,
    attempts,
    slots,
    settler,
    keeper,
    gauges,
    acquireState,
    work,
    room,
    storeClock,
    stopping,
    giveUp,
    onAcquired: () => undefined,
    onMissed,
    onError,
  };
};

const createSlots = (
  engine: Engine,
  concurrency: number,
  {
    gauges,
    settler,
    work,
    room,
    noteEnd,
  }: Pick<WorkerParts, "gauges" | "settler" | "work" | "room"> & {
    readonly noteEnd: () => void;
  },
): Slots =>
  new Slots(
    concurrency,
    (attempt) => {
      if (attempt.batch !== null) return runBatch(attempt.batch, gauges, settler);
      gauges.count(attempt, true);
      return processAttempt(engine, attempt, (outcome) => {
        gauges.count(attempt, false);
        return settler.settle(attempt, outcome);
      });
    },
    ({ processor }) => {
      room.wake();
      // There may be more due jobs of a type that was at its own limit, or at one of the store.
      if (processor.concurrency !== null) work.wake();
      noteEnd();
    },
  );

const runBatch = async (batch: Batch, gauges: WorkerGauges, settler: Settler): Promise<void> => {
  for (const attempt of batch.attempts) gauges.count(attempt, true);
  const result = await batch.run();
  for (const attempt of batch.attempts) gauges.count(attempt, false);
  await settler.settleBatch(batch, result);
};

/** Notifications wake the worker. Resolves once it listens; calls the returned function to end that. */
const listen = async (engine: Engine, parts: WorkerParts): Promise<StopListening> => {
  const { typeNames, stopping, work, acquireState, attempts, onMissed } = parts;
  const { remoteWaiters } = engine;
  let stopHearing: (() => void) | null = null;
  const ownership = createOwnershipCheck(engine, attempts);
  const pauses = createPauseCheck(engine, parts);
  const onOwnershipLost = (jobId: string): void => {
    if (jobId === schedulesChangedName) engine.scheduleChanges.received();
    else if (jobId === waitersName) engine.remoteWaiters.heard();
    else if (jobId === pausesChangedName) pauses.notified();
    else ownership.notified(jobId);
  };
  const local = engine.local.addWorker({
    typeNames,
    onJobScheduled: (typeName, count) => {
      // A count that is not a number of jobs is as good as none.
      if (count === undefined || !(count > 0 && count <= limits.concurrencyMax)) return onMissed();
      acquireState.addHints(slotsOf(parts, typeName, count));
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
      () =>
        engine.notify.listenJobOwnershipLost({
          onOwnershipLost,
          onReconnected: () => remoteWaiters.ask(),
        }),
      // A loss that was missed meanwhile is found by the next renewal.
      () => {
        stopHearing = remoteWaiters.listen();
      },
    ),
  ]);
  return async () => {
    local.remove();
    ownership.stop();
    pauses.stop();
    stopHearing?.();
    await Promise.all(stops.map((stop) => stop()));
  };
};
