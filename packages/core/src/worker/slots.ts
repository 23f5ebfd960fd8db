// Acquired jobs become attempts. At most `concurrency` process functions run at a time, in the order in which their jobs were
// acquired.
import type { AcquireJobsResult } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { reportLost } from "../lifecycle/attempt-events.ts";
import { Attempt } from "../lifecycle/process-job/attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import { reportTakenOver } from "../lifecycle/reclaim-expired-leases.ts";

export class Slots {
  readonly concurrency: number;
  readonly #run: (attempt: Attempt) => Promise<unknown>;
  readonly #onFreed: (attempt: Attempt) => void;
  #queue: Attempt[] = [];
  #head = 0;
  #activeCount = 0;
  #begunCount = 0;
  #isClosed = false;
  /** Attempts at jobs that this worker still runs under an older lease: they begin when that run has ended. */
  readonly #after = new Map<Attempt, Attempt>();
  /** Held jobs of each type that has a limit of its own; queued ones included. */
  readonly #countByType = new Map<string, number>();

  constructor(
    concurrency: number,
    /** Must not reject. */
    run: (attempt: Attempt) => Promise<unknown>,
    /** A slot is free again. */
    onFreed: (attempt: Attempt) => void,
  ) {
    this.concurrency = concurrency;
    this.#run = run;
    this.#onFreed = onFreed;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  get queuedCount(): number {
    return this.#queue.length - this.#head + this.#after.size;
  }

  /** Attempts begun since the worker started: for its speed. */
  get begunCount(): number {
    return this.#begunCount;
  }

  countOf(typeName: string): number {
    return this.#countByType.get(typeName) ?? 0;
  }

  offer(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) {
      this.#queue.push(attempt);
      this.#count(attempt, 1);
    }
    this.#fill();
  }

  /** Begins after `earlier`, which runs the same job. */
  offerAfter(earlier: Attempt, attempt: Attempt): void {
    this.#after.set(earlier, attempt);
    this.#count(attempt, 1);
  }

  /** No attempt begins any more: queued ones, and those still to come, wait to be taken out. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes out the attempts that have not begun and that the predicate picks. */
  takeQueued(isPicked: (attempt: Attempt) => boolean): readonly Attempt[] {
    const queued = this.#queue.slice(this.#head);
    const taken = queued.filter(isPicked);
    for (const [earlier, attempt] of this.#after) {
      if (!isPicked(attempt)) continue;
      this.#after.delete(earlier);
      taken.push(attempt);
    }
    if (taken.length === 0) return taken;
    this.#queue = queued.filter((attempt) => !taken.includes(attempt));
    this.#head = 0;
    for (const attempt of taken) this.#count(attempt, -1);
    return taken;
  }

  #fill(): void {
    while (this.#activeCount < this.concurrency && !this.#isClosed) {
      const attempt = this.#queue[this.#head];
      if (attempt === undefined) break;
      this.#head++;
      this.#begin(attempt);
    }
    // Shifting an array moves all of it; a moving head costs nothing until the array is worth cutting.
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head > 256 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }

  #begin(attempt: Attempt): void {
    this.#activeCount++;
    this.#begunCount++;
    attempt.hasBegun = true;
    attempt.isInSlot = true;
    void this.#run(attempt).then(() => {
      attempt.isInSlot = false;
      this.#activeCount--;
      this.#count(attempt, -1);
      this.#takeNext(attempt);
      this.#fill();
      this.#onFreed(attempt);
    });
  }

  #takeNext(earlier: Attempt): void {
    if (this.#after.size === 0) return;
    const attempt = this.#after.get(earlier);
    if (attempt === undefined) return;
    this.#after.delete(earlier);
    this.#queue.push(attempt);
  }

  #count({ job, processor }: Attempt, delta: number): void {
    // Only types with a limit of their own are counted.
    if (processor.concurrency === null) return;
    this.#countByType.set(job.typeName, this.countOf(job.typeName) + delta);
  }
}

/** Acquired jobs become attempts, held from now on. Returns the attempts that may begin. */
export const toAttempts = (
  engine: Engine,
  jobs: AcquireJobsResult["jobs"],
  byType: ReadonlyMap<string, Processor>,
  held: {
    readonly attempts: Set<Attempt>;
    readonly slots: Slots;
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
