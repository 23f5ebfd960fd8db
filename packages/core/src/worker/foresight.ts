// Whether another look at the store could find anything. A look that finds less than it asked for has seen all there is; from
// then on jobs are announced, each to somebody. A worker that was told of one job and has found one need not look again when
// it is done: that second look would find nothing, and with one slot it would double the acquisitions.
// Announcements may be lost, so this is believed until the next poll or due time, and is never extended by anything else.
import type { Clock } from "../async/clock.ts";

export class Foresight {
  readonly #clock: Pick<Clock, "now">;
  #until = 0;
  #hasMissed = false;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** For how long nothing but an announcement is a reason to look; 0: look now. */
  get quietMs(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** A look begins: what is missed from here on, it may not see. */
  look(): void {
    this.#hasMissed = false;
  }

  /** It found less than it asked for: nothing is due before then. */
  sawAll(quietMs: number): void {
    this.#until = this.#hasMissed ? 0 : this.#clock.now() + quietMs;
  }

  /** It found all it had asked for, after so many had been announced. */
  foundAll(foundCount: number, announcedCount: number): void {
    if (foundCount > announcedCount) this.#until = 0;
  }

  /** Something may have been missed. */
  forget(): void {
    this.#hasMissed = true;
    this.#until = 0;
  }
}
