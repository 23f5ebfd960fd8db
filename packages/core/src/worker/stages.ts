// The parts of one running worker, wired: what is claimed goes to the slots, from there to the settler, and is held, with
// its lease kept, until it is settled.
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { createWakeFlag, type WakeFlag } from "../async/wake-flag.ts";
import type { Engine } from "../engine.ts";
import { Attempt } from "../lifecycle/process-job/attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { reportTakenOver } from "../lifecycle/reclaim-expired-leases.ts";
import { Foresight } from "./foresight.ts";
import { HintCount } from "./hint-count.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./keep-leases.ts";
import { createPrefetch, type Prefetch } from "./prefetch.ts";
import { processAttempt } from "./process-attempt.ts";
import { createSettler, type Settler } from "./settle.ts";
import { Slots } from "./slots.ts";
import type { WorkerOptions } from "./worker-options.ts";

export interface Stages {
  readonly options: WorkerOptions;
  readonly processors: readonly Processor[];
  readonly typeNames: readonly string[];
  /** Held: queued, under way, or waiting to be settled. */
  readonly attempts: Set<Attempt>;
  readonly slots: Slots;
  readonly settler: Settler;
  readonly keeper: LeaseKeeper;
  readonly prefetch: Prefetch;
  readonly hints: HintCount;
  readonly foresight: Foresight;
  /** Set by notifications and by stop: there may be work. */
  readonly work: WakeFlag;
  /** Set whenever a slot is freed. */
  readonly room: WakeFlag;
  /** Aborted when stopping begins. */
  readonly stopping: AbortController;
  /** Aborted when stopping has taken long enough. */
  readonly giveUp: AbortController;
  readonly onAcquired: (jobs: AcquireJobsResult["jobs"], claimedAt: number) => void;
  readonly onError: (operation: string, error: unknown) => void;
}

/** Wires the parts; nothing runs yet. */
export const createStages = (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): Stages => {
  const { workerId } = options;
  const typeNames = processors.map(({ typeName }) => typeName);
  const attempts = new Set<Attempt>();
  const giveUp = new AbortController();
  const work = createWakeFlag(engine.clock);
  const room = createWakeFlag(engine.clock);
  const onError = (operation: string, error: unknown): void =>
    engine.observer.emit("workerError", () => ({ workerId, typeNames, operation, error }));
  const settler = createSettler(
    engine,
    workerId,
    (attempt) => attempts.delete(attempt),
    giveUp.signal,
  );
  const slots = new Slots(
    options.concurrency,
    (attempt) => processAttempt(engine, settler, attempt),
    ({ processor }) => {
      room.wake();
      // There may have been more of a type that was at its own limit.
      if (processor.concurrency !== null) work.wake();
    },
  );
  const keeper = createLeaseKeeper(engine, {
    workerId,
    attempts,
    slots,
    tickMs: tickMs(processors),
    reapIntervalMs: options.reapIntervalMs,
    onHandedBack: (handedBack) => {
      for (const attempt of handedBack) attempts.delete(attempt);
      room.wake();
    },
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
    prefetch: createPrefetch(options.prefetch),
    hints: new HintCount(),
    foresight: new Foresight(engine.clock),
    work,
    room,
    stopping: new AbortController(),
    giveUp,
    onAcquired: createTakeOver(engine, processors, workerId, attempts, slots, keeper),
    onError,
  };
};

/** Acquired jobs become attempts, held from now on. */
const createTakeOver = (
  engine: Engine,
  processors: readonly Processor[],
  workerId: string,
  attempts: Set<Attempt>,
  slots: Slots,
  keeper: LeaseKeeper,
): Stages["onAcquired"] => {
  const byType = new Map(processors.map((processor) => [processor.typeName, processor]));
  return (jobs, claimedAt) => {
    keeper.acquired();
    const fresh = jobs.map((acquired) => {
      const { job, reclaimedFrom } = acquired;
      if (reclaimedFrom !== null) reportTakenOver(engine, job, reclaimedFrom, workerId);
      // Only implemented types were asked for.
      const processor = byType.get(job.typeName) as Processor;
      return new Attempt(acquired, processor, workerId, claimedAt);
    });
    for (const attempt of fresh) attempts.add(attempt);
    slots.offer(fresh);
    keeper.start();
  };
};

/** Often enough for every type's renewals and for handing back. */
const tickMs = (processors: readonly Processor[]): number =>
  Math.max(5, Math.min(500, ...processors.map(({ renewIntervalMs }) => renewIntervalMs / 2)));
