// The parts of one running worker. Acquired jobs go to the slots, and from there to the settler. Their leases are kept
// until they are settled.
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { createWakeFlag, type WakeFlag } from "../async/wake-flag.ts";
import type { Engine } from "../engine.ts";
import { reportLost } from "../lifecycle/attempt-events.ts";
import { Attempt } from "../lifecycle/process-job/attempt.ts";
import { processAttempt } from "../lifecycle/process-job/process-attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { reportTakenOver } from "../lifecycle/reclaim-expired-leases.ts";
import { AcquireState } from "./acquire-state.ts";
import { WorkerGauges } from "./gauges.ts";
import { LeaseKeeper } from "./keep-leases.ts";
import { createSettler, type Settler } from "./settle.ts";
import { Slots } from "./slots.ts";
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
    storeClock: new StoreClock(engine, {
      ...{ workerId, processors, attempts, onError },
      stopping: stopping.signal,
    }),
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

/** Acquired jobs become attempts, held from now on. Returns the attempts that may begin. */
const toAttempts = (
  engine: Engine,
  jobs: AcquireJobsResult["jobs"],
  byType: ReadonlyMap<string, Processor>,
  held: Pick<WorkerParts, "attempts" | "slots"> & {
    readonly workerId: string;
    readonly begunAt: number;
  },
): readonly Attempt[] => {
  const { attempts, slots, workerId, begunAt } = held;
  const fresh: Attempt[] = [];
  for (const acquired of jobs) {
    // Only implemented types were asked for.
    const processor = byType.get(acquired.job.typeName) as Processor;
    const attempt = new Attempt(acquired, processor, workerId, begunAt);
    const { job, reclaimedFrom } = acquired;
    if (reclaimedFrom !== null) reportTakenOver(engine, job, reclaimedFrom, workerId);
    // By the lease version: the store may have reclaimed the lease earlier than it was acquired.
    if (job.leaseVersion > 1 && waitsForEarlierRun(engine, attempts, slots, attempt)) continue;
    attempts.add(attempt);
    fresh.push(attempt);
  }
  return fresh;
};

/**
 * A lease of this worker's own has expired by the store's clock alone, and it has acquired the job again. The run under the
 * old lease has lost the job. The new one begins when that run has ended, not beside it.
 */
const waitsForEarlierRun = (
  engine: Engine,
  attempts: Set<Attempt>,
  slots: Slots,
  attempt: Attempt,
): boolean => {
  let isWaiting = false;
  for (const earlier of attempts) {
    if (earlier.job.id !== attempt.job.id) continue;
    if (!earlier.isOver) reportLost(engine, earlier, "taken_by_another_worker");
    if (earlier.isInSlot) {
      slots.offerAfter(earlier, attempt);
      isWaiting = true;
    } else if (!earlier.hasBegun) {
      slots.takeQueued((queued) => queued === earlier);
      attempts.delete(earlier);
    }
  }
  if (isWaiting) attempts.add(attempt);
  return isWaiting;
};
