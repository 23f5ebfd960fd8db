// The pace of a plan: small steps, with pauses between them. A refused job takes no time.
import type { Clock } from "../../async/clock.ts";
import { sleep } from "../../async/sleep.ts";

const minuteMs = 60_000;
/** A step takes about so long, so that a stop and a look at the progress need not wait. */
const stepMs = 1_000;

export class Pace {
  readonly #perMinute: number | null;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #nextAt: number;

  constructor(perMinute: number | undefined, clock: Clock, signal: AbortSignal | undefined) {
    this.#perMinute = perMinute ?? null;
    this.#clock = clock;
    this.#signal = signal;
    this.#nextAt = clock.now();
  }

  /** The ids in steps of the pace. `room` is asked before each step: a refused job leaves its place to a later one. */
  *steps(ids: readonly string[], room: () => number): Generator<readonly string[]> {
    const perMinute = this.#perMinute;
    const sizeMax =
      perMinute === null ? ids.length : Math.max(1, Math.floor((perMinute * stepMs) / minuteMs));
    for (let at = 0; at < ids.length && room() > 0;) {
      const size = Math.min(sizeMax, room());
      yield ids.slice(at, at + size);
      at += size;
    }
  }

  /** Waits for the time of the next step, or until the plan is stopped. */
  async turn(): Promise<void> {
    const waitMs = this.#nextAt - this.#clock.now();
    if (waitMs > 0) await sleep(this.#clock, waitMs, this.#signal);
  }

  /** So many have been changed now. A slow store is not made up for by a rush. */
  changed(count: number): void {
    if (this.#perMinute === null) return;
    this.#nextAt = this.#clock.now() + (count * minuteMs) / this.#perMinute;
  }
}
