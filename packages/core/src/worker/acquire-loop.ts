// oxlint-disable max-lines -- the acquisition is one step of the walk.
// Step 4 of the walk, acquired: one loop that keeps the slots filled. It acquires when there is room. When there is no due
// job, it waits for a notification, for the next due time, or for the poll interval.
import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { sleep } from "../async/sleep.ts";
import type { Engine } from "../engine.ts";
import type { BatchSettings, Processor } from "../lifecycle/process-job/processor.ts";
import type { WorkerParts } from "./worker-parts.ts";
import type { AcquireJobsParams, AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import { reportLost } from "../lifecycle/attempt-events.ts";
import { Attempt } from "../lifecycle/process-job/attempt.ts";
import { Batch } from "../lifecycle/process-job/batch.ts";
import { reportTakenOver } from "../lifecycle/reclaim-expired-leases.ts";

/** Due jobs of which none was found, since other transactions have locked them: tried again soon, but not in a tight loop. */
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
    const isLocked = nextDueInMs === 0 && slotCount === 0;
    const dueMs = isLocked ? lockedRetryMs : (nextDueInMs ?? pollMs);
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

// The statements of one acquisition. All types whose jobs are processed alone share one. Each batch has one of its own, so the store
// decides about a batch as a whole. A batch occupies one slot. The acquired jobs become attempts, which the slots run.

/** A type that the worker may acquire now. `limit`: how many slots it may have. */
export interface AcquirableType {
  readonly typeName: string;
  readonly leaseMs: number;
  readonly limit: number;
  readonly batch: BatchSettings | null;
}

/** How much may be acquired. */
export interface Room {
  /** In slots, the prefetch included. */
  readonly limit: number;
  /** In jobs. */
  readonly jobsMax: number;
}

/** The results of all statements together. */
export interface Acquired {
  readonly result: AcquireJobsResult;
  /** In slots. As many as were asked for: there may be more. */
  readonly slotCount: number;
}

const acquireInCalls = async (
  engine: Engine,
  parts: WorkerParts,
  types: readonly AcquirableType[],
  room: Room,
): Promise<Acquired> => {
  const batches = types.filter(({ batch }) => batch !== null);
  const others = types.filter(({ batch }) => batch === null);
  const turns = [...(others.length > 0 ? [others] : []), ...batches.map((type) => [type])];
  // The first turn moves on: no type with due jobs waits for ever.
  const first = parts.nextTurn() % turns.length;
  const found: Acquired[] = [];
  let { limit, jobsMax } = room;
  for (const turn of [...turns.slice(first), ...turns.slice(0, first)]) {
    if (limit <= 0 || jobsMax <= 0) break;
    const [{ batch }] = turn as [AcquirableType];
    const each =
      batch === null
        ? [await acquireJobs(engine, parts, turn, { limit, jobsMax })]
        : await acquireBatches(engine, parts, turn[0] as AcquirableType, { limit, jobsMax });
    for (const acquired of each) {
      limit -= acquired.slotCount;
      jobsMax -= acquired.result.jobs.length;
      found.push(acquired);
    }
  }
  return found.length === 1 ? (found[0] as Acquired) : merged(found);
};

/** Jobs that are processed alone. */
const acquireJobs = async (
  engine: Engine,
  parts: WorkerParts,
  types: readonly AcquirableType[],
  { limit: slotsMax, jobsMax }: Room,
): Promise<Acquired> => {
  const limit = Math.min(slotsMax, jobsMax);
  const slots = Math.min(limit, parts.acquireState.freeSlots);
  const plain = types.map(({ typeName, leaseMs, limit: most }) => ({
    typeName,
    leaseMs,
    limit: most,
  }));
  const result = await acquire(engine, parts, { limit, slots, types: plain });
  return { result, slotCount: result.jobs.length };
};

/** Batches of one type, for the free slots. If there is none, one batch may wait for the next slot. */
const acquireBatches = async (
  engine: Engine,
  parts: WorkerParts,
  { typeName, leaseMs, limit: most, batch }: AcquirableType,
  { limit: slotsMax, jobsMax }: Room,
): Promise<readonly Acquired[]> => {
  if (batch === null) return [];
  const { maxSize, minSize, maxWaitMs, perKey } = batch;
  const found: Acquired[] = [];
  let jobsLeft = jobsMax;
  const count = Math.min(slotsMax, most, Math.max(1, parts.acquireState.freeSlots));
  while (found.length < count && jobsLeft > 0) {
    const limit = Math.min(maxSize, jobsLeft);
    const slots = parts.acquireState.freeSlots > 0 ? limit : 0;
    const types = [{ typeName, leaseMs, limit, batch: { minSize, maxWaitMs, perKey } }];
    const result = await acquire(engine, parts, { limit, slots, types });
    const { length } = result.jobs;
    found.push({ result, slotCount: length > 0 ? 1 : 0 });
    jobsLeft -= length;
    // The batch of one key says nothing about the next.
    if (length === 0 || (length < limit && !perKey)) break;
  }
  return found;
};

/** The jobs are in the slots when it resolves. */
const acquire = async (
  engine: Engine,
  parts: WorkerParts,
  params: Omit<AcquireJobsParams, "workerId">,
): Promise<AcquireJobsResult> => {
  const begunAt = engine.clock.now();
  const result = await engine.state.acquireJobs({ workerId: parts.options.workerId, ...params });
  parts.storeClock.acquired(result, begunAt);
  if (result.jobs.length > 0) {
    parts.slots.offer(toAttempts(engine, parts, result.jobs, begunAt));
    parts.keeper.acquired(begunAt);
  }
  parts.onAcquired();
  return result;
};

/** Acquired jobs become attempts, held from now on. Returns the attempts that may begin. */
const toAttempts = (
  engine: Engine,
  parts: WorkerParts,
  jobs: AcquireJobsResult["jobs"],
  begunAt: number,
): readonly Attempt[] => {
  const { attempts, byType, options } = parts;
  const { workerId } = options;
  const fresh: Attempt[] = [];
  for (const acquired of jobs) {
    // Only implemented types were asked for.
    const processor = byType.get(acquired.job.typeName) as Processor;
    const attempt = new Attempt(acquired, processor, workerId, begunAt);
    const { job, reclaimedFrom } = acquired;
    if (reclaimedFrom !== null) reportTakenOver(engine, job, reclaimedFrom, workerId);
    // By the lease version: the store may have reclaimed the lease earlier than it was acquired.
    if (job.leaseVersion > 1 && waitsForEarlierRun(engine, parts, attempt)) continue;
    attempts.add(attempt);
    fresh.push(attempt);
  }
  // A batch is acquired by a statement of its own.
  putIntoBatch(engine, fresh);
  return fresh;
};

/**
 * A lease of this worker's own has expired by the store's clock alone, and it has acquired the job again. The run under the
 * old lease has lost the job. The new one begins when that run has ended, not beside it.
 */
const waitsForEarlierRun = (
  engine: Engine,
  { attempts, slots }: WorkerParts,
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
  if (!isWaiting) return false;
  attempts.add(attempt);
  putIntoBatch(engine, [attempt]);
  return true;
};

/** Attempts at jobs of one type, if their type is processed in batches. */
const putIntoBatch = (engine: Engine, attempts: readonly Attempt[]): void => {
  const settings = attempts[0]?.processor.batch ?? null;
  if (settings === null) return;
  const batch = new Batch(engine, attempts, settings.process);
  for (const attempt of attempts) attempt.batch = batch;
};

const merged = (found: readonly Acquired[]): Acquired => {
  // A full batch is followed by another look, which tells the time.
  const due = found.flatMap(({ result }) => result.nextDueInMs ?? []);
  return {
    slotCount: found.reduce((total, { slotCount }) => total + slotCount, 0),
    result: {
      jobs: found.flatMap(({ result }) => result.jobs),
      nextDueInMs: due.length === 0 ? null : Math.min(...due),
      isLimited: found.some(({ result }) => result.isLimited === true),
    },
  };
};
