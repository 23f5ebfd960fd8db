// oxlint-disable max-lines -- the slots, and how much they acquire, are one step of the walk.
// When a worker acquires, and how many jobs.
//
// An acquisition that returns fewer jobs than it asked for has seen all due jobs of its types. From then on each new job
// is notified to a worker, so this one can stay idle until its next poll or due time. Without that deadline a worker with
// one slot would acquire twice for each job. Notifications can be lost: they never extend the deadline.
import type { AcquiredJob } from "../adapters/state-adapter-params.ts";
import type { Clock } from "../async/clock.ts";
import { timerMs } from "../async/sleep.ts";
import { limits } from "../defaults.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";

/** Old measurements of speed fade by this much with each new one. */
const smoothing = 0.3;

/** The payloads of some acquired jobs, in characters of their JSON texts. */
const payloadLength = (acquired: readonly AcquiredJob[]): number => {
  let length = 0;
  for (const { job, blockers } of acquired) {
    length += job.input.length;
    for (const { current } of blockers) length += current.output?.length ?? 0;
  }
  return length;
};

/** The prefetch covers an acquisition's own time twice, so that a slower one does not empty the queue. */
const safety = 2;

export class AcquireState {
  readonly #clock: Pick<Clock, "now">;
  readonly #slots: Slots;
  readonly #prefetchMax: number;
  #idleUntil = 0;
  #mayHaveMissed = false;
  #isLimited = false;
  #endCount = 0;
  #hintCount = 0;
  #ratePerMs = 0;
  #durationMs = 0;
  #payloadLength = 0;
  #begunCount = 0;
  #measuredAt: number;

  constructor(clock: Pick<Clock, "now">, slots: Slots, prefetchMax: number) {
    this.#clock = clock;
    this.#slots = slots;
    this.#prefetchMax = Math.min(prefetchMax, limits.prefetchMax);
    this.#measuredAt = clock.now();
  }

  /** How many jobs could be acquired now, prefetch included. */
  get room(): number {
    const { concurrency, activeCount, queuedCount } = this.#slots;
    return concurrency + this.prefetch - activeCount - queuedCount;
  }

  /** With jobs in the queue, an acquisition waits until it is worth its round trip. */
  get hasRoom(): boolean {
    return this.room >= Math.max(1, this.prefetch >> 1);
  }

  /**
   * How many jobs to hold beyond the slots: as many as begin during one acquisition. Short jobs would otherwise wait for
   * round trips. Long jobs must not be held by a worker that cannot begin them. Large payloads must not fill its memory. With a
   * bound of 500 instead of the concurrency, a drain of short jobs is 2.7 times as fast at a concurrency of 10.
   */
  get prefetch(): number {
    const fast = this.#ratePerMs * this.#durationMs * safety;
    const small = limits.prefetchCharactersMax / Math.max(1, this.#payloadLength);
    return Math.floor(Math.min(this.#prefetchMax, fast, small));
  }

  /** Jobs that notifications have announced and no acquisition has asked for yet. They count as held. */
  get hintCount(): number {
    return this.#hintCount;
  }

  /** For how long only a notification is a reason to acquire; 0: acquire now. */
  get idleMs(): number {
    return Math.max(0, this.#idleUntil - this.#clock.now());
  }

  /** A limit kept due jobs back at the last acquisition: the end of an attempt is a reason to acquire. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Slots that are free again, and outcomes that are stored: each may let a limited job start. */
  get endCount(): number {
    return this.#endCount;
  }

  /** Returns whether that is a reason to acquire. */
  noteEnd(): boolean {
    this.#endCount++;
    return this.#isLimited;
  }

  /** How many of the jobs to acquire could begin now. */
  get freeSlots(): number {
    const { concurrency, activeCount, queuedCount } = this.#slots;
    return Math.max(0, concurrency - activeCount - queuedCount);
  }

  addHints(count: number): void {
    this.#hintCount += count;
  }

  /** A job may have been missed: there is no deadline. */
  forget(): void {
    this.#mayHaveMissed = true;
    this.#idleUntil = 0;
  }

  /** An acquisition begins. It may not see jobs that are missed from here on. */
  begin(): void {
    this.#mayHaveMissed = false;
  }

  /** An acquisition that began with this many hints, at this time, has succeeded. */
  end(hintCount: number, begunAt: number, acquired: readonly AcquiredJob[]): void {
    this.#measurePayloads(acquired);
    this.#hintCount -= hintCount;
    const now = this.#clock.now();
    const { begunCount } = this.#slots;
    const elapsedMs = now - this.#measuredAt;
    if (elapsedMs > 0) {
      this.#ratePerMs +=
        smoothing * ((begunCount - this.#begunCount) / elapsedMs - this.#ratePerMs);
      // A clock of whole milliseconds reads 0 for many acquisitions.
      this.#durationMs += smoothing * (Math.max(0.5, now - begunAt) - this.#durationMs);
    }
    this.#begunCount = begunCount;
    this.#measuredAt = now;
  }

  /** The mean of an acquisition. It rises at once, and fades: a few small jobs between large ones mean nothing. */
  #measurePayloads(acquired: readonly AcquiredJob[]): void {
    if (acquired.length === 0) return;
    const mean = payloadLength(acquired) / acquired.length;
    const faded = this.#payloadLength + smoothing * (mean - this.#payloadLength);
    this.#payloadLength = Math.max(mean, faded);
  }

  /** Whether a limit has kept due jobs back. */
  sawLimit(isLimited: boolean): void {
    this.#isLimited = isLimited;
  }

  /** It returned fewer jobs than it asked for: none is due before then. */
  sawAll(idleMs: number): void {
    this.#idleUntil = this.#mayHaveMissed ? 0 : this.#clock.now() + idleMs;
  }

  /** It returned as many jobs as it asked for: more may be due, unless each of these was announced. */
  foundAll(foundCount: number, hintCount: number): void {
    if (foundCount > hintCount) this.#idleUntil = 0;
  }
}

/** Remembers a wake-up before the wait: one between an acquisition and the wait is not lost. */
export interface WakeFlag {
  /** Ends the wait under way, or the next one at once. */
  wake(): void;
  /** Forgets earlier wake-ups: call it before looking. */
  clear(): void;
  /** Resolves when woken, or after so many milliseconds; null waits for as long as it takes. */
  wait(ms: number | null): Promise<void>;
}

export const createWakeFlag = (clock: Pick<Clock, "setTimeout" | "clearTimeout">): WakeFlag => {
  let isSet = false;
  let resume: (() => void) | null = null;
  return {
    wake: () => {
      isSet = true;
      resume?.();
    },
    clear: () => {
      isSet = false;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        if (isSet) return resolve();
        const finish = (): void => {
          if (timer !== undefined) clock.clearTimeout(timer);
          resume = null;
          resolve();
        };
        const timer = ms === null ? undefined : clock.setTimeout(finish, timerMs(ms));
        resume = finish;
      }),
  };
};

// At most `concurrency` process functions run at a time, in the order in which their jobs were
// acquired.

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

  /** Of a batch the first attempt stands in the queue. */
  offer(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) {
      if (attempt.batch !== null && attempt.batch.attempts[0] !== attempt) continue;
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
    const taken: Attempt[] = [];
    const left: Attempt[] = [];
    for (const attempt of this.#queue.slice(this.#head)) {
      const picked = membersOf(attempt).filter(isPicked);
      taken.push(...picked);
      attempt.batch?.remove(picked);
      const [first] = attempt.batch === null && picked.length > 0 ? [] : membersOf(attempt);
      if (first === undefined) this.#count(attempt, -1);
      else left.push(first);
    }
    for (const [earlier, attempt] of this.#after) {
      if (!isPicked(attempt)) continue;
      this.#after.delete(earlier);
      this.#count(attempt, -1);
      taken.push(attempt);
    }
    if (taken.length === 0) return taken;
    this.#queue = left;
    this.#head = 0;
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
    if (attempt.batch === null) enterSlot(attempt);
    else attempt.batch.attempts.forEach(enterSlot);
    void this.#run(attempt).then(() => this.#end(attempt));
  }

  /** The slot of the attempt is free again. */
  #end(attempt: Attempt): void {
    this.#activeCount--;
    this.#count(attempt, -1);
    if (attempt.batch === null) this.#leave(attempt);
    else for (const member of attempt.batch.attempts) this.#leave(member);
    this.#fill();
    this.#onFreed(attempt);
  }

  #leave(earlier: Attempt): void {
    earlier.isInSlot = false;
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

const enterSlot = (attempt: Attempt): void => {
  attempt.hasBegun = true;
  attempt.isInSlot = true;
};

/** The attempts that one slot runs. */
const membersOf = (attempt: Attempt): readonly Attempt[] => attempt.batch?.attempts ?? [attempt];
