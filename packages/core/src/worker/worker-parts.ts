// The parts of one running worker. Acquired jobs go to the slots, and from there to the settler. Their leases are kept
// until they are settled. At the end, its subscriptions: a notify adapter that cannot listen costs latency only.
import type { StopListening } from "../adapters/notify-adapter.ts";
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { withRetry } from "../async/retry.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { processAttempt } from "../lifecycle/process-job/process-attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { demandOf } from "./acquire-loop.ts";
import { AcquireState, createWakeFlag, type WakeFlag } from "./acquire-state.ts";
import { WorkerGauges } from "./gauges.ts";
import { LeaseKeeper } from "./keep-leases.ts";
import { createOwnershipCheck } from "./ownership-check.ts";
import { createSettler, type Settler } from "./settle.ts";
import { Slots, toAttempts } from "./slots.ts";
import { StoreClock } from "./store-clock.ts";
import type { WorkerOptions } from "./worker-options.ts";

export interface WorkerParts {
  readonly options: WorkerOptions;
  readonly processors: readonly Processor[];
  readonly typeNames: readonly string[];
  /** Held: queued, running, or waiting to be settled. */
  readonly attempts: Set<Attempt>;
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
  readonly onAcquired: (jobs: AcquireJobsResult["jobs"], begunAt: number) => void;
  /** A job may have become due without a notification. */
  readonly onMissed: () => void;
  readonly onError: (operation: string, error: unknown) => void;
}

/** Creates the parts; nothing runs yet. */
export const createWorkerParts = (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): WorkerParts => {
  const { workerId, concurrency } = options;
  const typeNames = processors.map(({ typeName }) => typeName);
  const attempts = new Set<Attempt>();
  const stopping = new AbortController();
  const giveUp = new AbortController();
  const work = createWakeFlag(engine.clock);
  const room = createWakeFlag(engine.clock);
  const byType = new Map(processors.map((processor) => [processor.typeName, processor]));
  const gauges = new WorkerGauges(engine, workerId, concurrency, processors);
  const settler = createSettler(engine, workerId, attempts, giveUp.signal);
  const onError = (operation: string, error: unknown): void =>
    engine.observer.emit("workerError", () => ({ workerId, typeNames, operation, error }));
  const slots = createSlots(engine, concurrency, { gauges, settler, work, room });
  const acquireState = new AcquireState(engine.clock, slots, options.prefetch);
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
  const { signal } = stopping;
  const storeClock = new StoreClock(engine, {
    workerId,
    processors,
    attempts,
    onError,
    stopping: signal,
  });
  return {
    options,
    processors,
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
    onAcquired: (jobs, begunAt) => {
      if (jobs.length === 0) return;
      slots.offer(toAttempts(engine, jobs, byType, { workerId, attempts, slots, begunAt }));
      keeper.acquired(begunAt);
    },
    onMissed,
    onError,
  };
};

const createSlots = (
  engine: Engine,
  concurrency: number,
  { gauges, settler, work, room }: Pick<WorkerParts, "gauges" | "settler" | "work" | "room">,
): Slots =>
  new Slots(
    concurrency,
    (attempt) => {
      gauges.count(attempt, true);
      return processAttempt(engine, attempt).then((outcome) => {
        gauges.count(attempt, false);
        return settler.settle(attempt, outcome);
      });
    },
    ({ processor }) => {
      room.wake();
      // There may be more due jobs of a type that was at its own limit.
      if (processor.concurrency !== null) work.wake();
    },
  );

/** Notifications wake the worker. Resolves once it listens; calls the returned function to end that. */
export const listen = async (engine: Engine, parts: WorkerParts): Promise<StopListening> => {
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

/** How long a start or a stop waits for a subscription: a server that does not respond must not delay either. */
const patienceMs = 1_000;

/** Starts listening; resolves after the first try, successful or not, or when that takes long. */
const listenResiliently = async (
  engine: Engine,
  listenOnce: () => Promise<StopListening>,
  /** Called when it listens, late or not: jobs that were notified before have to be found by a query. */
  onListening: () => void,
): Promise<StopListening> => {
  const stopping = new AbortController();
  let stop: StopListening | null = null;

  const attempt = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    const stopListening = await listenOnce();
    if (stopping.signal.aborted) return stopListening();
    stop = stopListening;
    onListening();
  };
  const tried = attempt();
  const listening = withRetry((retry) => (retry === 0 ? tried : attempt()), {
    maxRetries: Infinity,
    initialDelayMs: 200,
    maxDelayMs: 10_000,
    isRetryable: () => true,
    signal: stopping.signal,
    clock: engine.clock,
    random: engine.random,
  });
  await settleOrTimeout(engine.clock, tried, patienceMs);
  return async () => {
    stopping.abort();
    // A try that hangs ends with its own result. Errors are reported by the adapter's wrapping.
    await settleOrTimeout(engine.clock, listening, patienceMs);
    if (stop !== null) await settleOrTimeout(engine.clock, stop(), patienceMs);
  };
};
