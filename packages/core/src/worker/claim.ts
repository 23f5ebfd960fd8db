// Stage 1: one loop that keeps the slots filled. It looks when there is room, and otherwise only when told that there may
// be work, when a job becomes due, or when the poll interval is over: an idle worker wakes for nothing else.
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import type { Prefetch } from "./prefetch.ts";
import type { Slots } from "./slots.ts";
import type { Stages } from "./stages.ts";

/** Rows that are due but locked by somebody else: looked at again soon, but not in a tight loop. */
const lockedRetryMs = 25;

const errorDelays = { initialMs: 100, multiplier: 2, maxMs: 5_000 };

/** Resolves after `stopping` is aborted. Never rejects. */
export const claimLoop = async (engine: Engine, stages: Stages): Promise<void> => {
  const { slots, prefetch, work, room, hints, foresight, onError, options } = stages;
  const { signal: stopping } = stages.stopping;
  let errorCount = 0;
  let lastBegun = slots.begunCount;
  let lastAt = engine.clock.now();
  while (!stopping.aborted) {
    const types = claimableTypes(stages);
    const limit = freeRoom(slots, prefetch);
    if (limit < minimumClaim(prefetch) || types.length === 0) {
      room.clear();
      // Room may have come between the look and the clearing.
      if (
        freeRoom(slots, prefetch) < minimumClaim(prefetch) ||
        claimableTypes(stages).length === 0
      ) {
        await room.wait(null);
      }
      continue;
    }
    work.clear();
    foresight.look();
    const lookedFor = hints.count;
    const claimedAt = engine.clock.now();
    try {
      const result = await engine.state.acquireJobs({ workerId: options.workerId, limit, types });
      hints.answered(lookedFor);
      const now = engine.clock.now();
      prefetch.measured(now - claimedAt, slots.begunCount - lastBegun, now - lastAt);
      lastBegun = slots.begunCount;
      lastAt = now;
      errorCount = 0;
      stages.onAcquired(result.jobs, claimedAt);
      // A synchronous store never lets go by itself: timers, signals and sockets have their turn here.
      await engine.clock.yield();
      const waitMs = msToWait(engine, stages, result, limit, lookedFor);
      if (waitMs > 0) await work.wait(waitMs);
    } catch (error) {
      foresight.forget();
      onError("acquire jobs; trying again", error);
      const { initialMs, multiplier, maxMs } = errorDelays;
      const delayMs = exponentialDelayMs(++errorCount, initialMs, multiplier, maxMs);
      await sleep(engine.clock, withJitter(delayMs, "equal", engine.random), stopping);
    }
  }
};

/** How many jobs could be taken now, prefetch included. */
export const freeRoom = (slots: Slots, prefetch: Prefetch): number =>
  slots.concurrency + prefetch.size - slots.activeCount - slots.queuedCount;

/** With a queue to live on, a claim waits until it is worth its round trip. */
const minimumClaim = (prefetch: Prefetch): number => Math.max(1, prefetch.size >> 1);

/** How many more jobs of one type could be begun, by its own limit. */
const roomOf = ({ typeName, concurrency }: Processor, slots: Slots): number =>
  concurrency === null ? typeLimitMax : Math.max(0, concurrency - slots.countOf(typeName));

/** More than any worker takes at once. */
const typeLimitMax = 1_000_000;

/** How many jobs of a type a notification may bring here: what it cannot begin, it leaves to others. */
export const demandOf = (
  { processors, slots, prefetch, work, hints, foresight }: Stages,
  typeName: string,
  /** How many there are; left out: nobody knows. */
  offered: number = Infinity,
): number => {
  const processor = processors.find((one) => one.typeName === typeName);
  if (processor === undefined) return 0;
  const room = freeRoom(slots, prefetch) - hints.count;
  // Whether somebody else takes the others is not heard of here.
  if (room < offered) foresight.forget();
  // Full, or about to be, it leaves the hint to others and looks by itself when a slot is freed. The loop may be waiting
  // for work all the same: its prefetch can shrink below what it holds. It has to wait for room instead.
  if (room <= 0) work.wake();
  return Math.max(0, Math.min(room, roomOf(processor, slots)));
};

const claimableTypes = ({
  processors,
  slots,
}: Stages): { typeName: string; leaseMs: number; limit: number }[] =>
  processors.flatMap((processor) => {
    const limit = roomOf(processor, slots);
    const { typeName, leaseMs } = processor;
    return limit > 0 ? [{ typeName, leaseMs, limit }] : [];
  });

/** After a look: 0 if the next one may find something at once. */
const msToWait = (
  engine: Engine,
  stages: Stages,
  result: AcquireJobsResult,
  limit: number,
  announcedCount: number,
): number => {
  const { foresight } = stages;
  const foundCount = result.jobs.length;
  if (foundCount < limit) {
    const idleMs = quietMs(engine, stages, result);
    foresight.sawAll(idleMs);
    return idleMs;
  }
  foresight.foundAll(foundCount, announcedCount);
  // Types at their own limit may have had more all the time.
  return hasTypeLimits(stages) ? 0 : foresight.quietMs;
};

/** For how long there is nothing to look for after a look that has seen all there is. */
const quietMs = (
  engine: Engine,
  { options: { pollIntervalMs } }: Stages,
  { nextDueInMs }: AcquireJobsResult,
): number => {
  // Spread, so that workers started together do not poll together.
  const pollMs = pollIntervalMs * (0.9 + 0.2 * engine.random());
  const dueMs = nextDueInMs === 0 ? lockedRetryMs : (nextDueInMs ?? pollMs);
  return Math.min(pollMs, dueMs);
};

const hasTypeLimits = ({ processors }: Stages): boolean =>
  processors.some(({ concurrency }) => concurrency !== null);
