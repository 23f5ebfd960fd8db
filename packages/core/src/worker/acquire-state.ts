// When a worker acquires, and how many jobs.
//
// An acquisition that returns fewer jobs than it asked for has seen all due jobs of its types. From then on each new job
// is notified to a worker, so this one can stay idle until its next poll or due time. Without that deadline a worker with
// one slot would acquire twice for each job. Notifications can be lost: they never extend the deadline.
import type { AcquiredJob } from "../adapters/state-adapter-params.ts";
import type { Clock } from "../async/clock.ts";
import { timerMs } from "../async/sleep.ts";
import { limits } from "../defaults.ts";
import type { Slots } from "./slots.ts";

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
