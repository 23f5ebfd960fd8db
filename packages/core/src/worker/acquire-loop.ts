// Step 4 of the walk, acquired: one loop that keeps the slots filled. It acquires when there is room. When there is no due
// job, it waits for a notification, for the next due time, or for the poll interval.
import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { type AcquirableType, type Acquired, acquireInCalls, type Room } from "./acquire-calls.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Due jobs that another transaction has locked: tried again soon, but not in a tight loop. */
const lockedRetryMs = 25;

const errorDelays = { initialMs: 100, multiplier: 2, maxMs: 5_000 };

export interface AcquireLoop {
  /** Resolves after `stopping` is aborted. Never rejects. */
  readonly ended: Promise<void>;
  /** The first acquisition: rejects if it fails. */
  readonly first: Promise<void>;
}

export const runAcquireLoop = (engine: Engine, parts: WorkerParts): AcquireLoop => {
  const { acquireState, room, onError } = parts;
  const { signal: stopping } = parts.stopping;
  let resolveFirst: () => void = () => undefined;
  let rejectFirst: (error: unknown) => void = () => undefined;
  const first = new Promise<void>((resolve, reject) => {
    resolveFirst = resolve;
    rejectFirst = reject;
  });
  // Reported below as well.
  first.catch(() => undefined);
  let errorCount = 0;

  const loop = async (): Promise<void> => {
    while (!stopping.aborted) {
      const types = acquirableTypes(engine, parts);
      if (!acquireState.hasRoom || types.length === 0) {
        room.clear();
        // Room may have come before the flag was cleared.
        if (!acquireState.hasRoom || acquirableTypes(engine, parts).length === 0)
          await room.wait(null);
        continue;
      }
      try {
        const waitMs = await acquireOnce(engine, parts, types);
        errorCount = 0;
        resolveFirst();
        if (waitMs > 0) await parts.work.wait(waitMs);
      } catch (error) {
        rejectFirst(error);
        acquireState.forget();
        onError("acquire jobs", error);
        const { initialMs, multiplier, maxMs } = errorDelays;
        const delayMs = exponentialDelayMs(++errorCount, initialMs, multiplier, maxMs);
        await sleep(engine.clock, withJitter(delayMs, "equal", engine.random), stopping);
      }
    }
    resolveFirst();
  };
  return { ended: loop(), first };
};

/** Returns for how long there is no reason to acquire again, unless the worker is notified. */
const acquireOnce = async (
  engine: Engine,
  parts: WorkerParts,
  types: readonly AcquirableType[],
): Promise<number> => {
  const { acquireState, work } = parts;
  // After a blocked event loop leases of this process may have expired: the acquisition would return jobs that run here.
  const renewing = engine.ownLeases.renewIfLate();
  if (renewing !== null) {
    await renewing;
    // The renewal may have excluded a type.
    return 0;
  }
  work.clear();
  const limit = acquireState.room;
  const room = { limit, jobsMax: Infinity };
  const { acquired, hintCount } = await acquireNow(engine, parts, types, room);
  return msToWait(engine, parts, acquired, limit, hintCount);
};

/** One acquisition, of one statement unless there are batches: its jobs are in the slots when it resolves. Also returns how many hints it has answered. */
export const acquireNow = async (
  engine: Engine,
  parts: WorkerParts,
  types: readonly AcquirableType[],
  room: Room,
): Promise<{ readonly acquired: Acquired; readonly hintCount: number }> => {
  const { acquireState } = parts;
  acquireState.begin();
  const { hintCount } = acquireState;
  const begunAt = engine.clock.now();
  const { endCount } = acquireState;
  const acquired = await acquireInCalls(engine, parts, types, room);
  const { jobs, isLimited = false } = acquired.result;
  acquireState.sawLimit(isLimited);
  // An attempt that has ended meanwhile may have given its permit back behind the look of the store.
  if (isLimited && acquireState.endCount !== endCount) parts.work.wake();
  acquireState.end(hintCount, begunAt, jobs);
  // A synchronous store never yields by itself: timers, signals and sockets have their turn here.
  await engine.clock.yield();
  return { acquired, hintCount };
};

/** How many more jobs of one type could be begun, by its own limit. */
const roomOf = ({ typeName, concurrency }: Processor, { slots }: WorkerParts): number =>
  concurrency === null ? typeLimitMax : Math.max(0, concurrency - slots.countOf(typeName));

/** More than any worker acquires at once. */
const typeLimitMax = 1_000_000;

/** How many jobs of a type a notification may bring here. The others are for other workers. */
export const demandOf = (
  parts: WorkerParts,
  typeName: string,
  /** How many jobs there are; left out: unknown. */
  offered: number = Infinity,
): number => {
  const { processors, acquireState, work } = parts;
  const processor = processors.find((one) => one.typeName === typeName);
  if (processor === undefined) return 0;
  const room = acquireState.room - acquireState.hintCount;
  // This worker is not notified of whether another one takes the rest.
  if (room < offered) acquireState.forget();
  // A full worker acquires by itself when a slot is free. Its prefetch can shrink below the jobs that it holds. Its loop
  // may then wait for work, and has to wait for room instead.
  if (room <= 0) work.wake();
  const slots = Math.max(0, Math.min(room, roomOf(processor, parts)));
  return slots * (processor.batch?.maxSize ?? 1);
};

/** How many slots announced jobs of a type need. */
export const slotsOf = ({ processors }: WorkerParts, typeName: string, count: number): number => {
  const { batch = null } = processors.find((one) => one.typeName === typeName) ?? {};
  return batch === null ? count : Math.ceil(count / batch.maxSize);
};

export const acquirableTypes = (engine: Engine, parts: WorkerParts): readonly AcquirableType[] =>
  parts.processors.flatMap((processor) => {
    const limit = roomOf(processor, parts);
    const { typeName, leaseMs, batch } = processor;
    return limit > 0 && !engine.ownLeases.hasExpired(typeName)
      ? [{ typeName, leaseMs, limit, batch }]
      : [];
  });

/** 0 if the next acquisition may find a job at once. */
const msToWait = (
  engine: Engine,
  { acquireState, processors, options }: WorkerParts,
  { result: { nextDueInMs }, slotCount }: Acquired,
  limit: number,
  hintCount: number,
): number => {
  if (slotCount < limit) {
    // Spread, so that workers started together do not poll together.
    const pollMs = options.pollIntervalMs * (0.9 + 0.2 * engine.random());
    const dueMs = nextDueInMs === 0 ? lockedRetryMs : (nextDueInMs ?? pollMs);
    const idleMs = Math.min(pollMs, dueMs);
    // The end of an attempt, here or elsewhere, may let a job start before then.
    if (acquireState.isLimited) acquireState.forget();
    else acquireState.sawAll(idleMs);
    return idleMs;
  }
  acquireState.foundAll(slotCount, hintCount);
  // Types at their own limit may have more due jobs, and so may types of batches.
  const mayHaveMore = processors.some(
    ({ concurrency, batch }) => concurrency !== null || batch !== null,
  );
  return mayHaveMore ? 0 : acquireState.idleMs;
};
