// The statements of one acquisition. All types whose jobs are processed alone share one. Each batch has one of its own, so the store
// decides about a batch as a whole. A batch occupies one slot. The acquired jobs become attempts, which the slots run.
import type { AcquireJobsParams, AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { reportLost } from "../lifecycle/attempt-events.ts";
import { Attempt } from "../lifecycle/process-job/attempt.ts";
import { Batch } from "../lifecycle/process-job/batch.ts";
import type { BatchSettings, Processor } from "../lifecycle/process-job/processor.ts";
import { reportTakenOver } from "../lifecycle/reclaim-expired-leases.ts";
import type { WorkerParts } from "./worker-parts.ts";

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

export const acquireInCalls = async (
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
