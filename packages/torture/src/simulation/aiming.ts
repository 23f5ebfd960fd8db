// Finds the statement that was aimed at, and holds it there if that is asked for.
import type { Aim } from "./coverage.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Flight } from "./wired-state.ts";

export class Aiming {
  readonly #aim: Aim | null;
  readonly #time: VirtualTime;
  #count = 0;
  /** Called at each point of a statement. */
  readonly #besides = new Set<(process: SimulatedProcess, flight: Flight) => void>();

  constructor(aim: Aim | null, time: VirtualTime) {
    this.#aim = aim;
    this.#time = time;
  }

  /** The aim, if this is its statement for the time that it names. */
  hit(process: SimulatedProcess, { method, phase }: Flight): Aim | null {
    for (const hear of this.#besides) hear(process, { method, phase });
    const aim = this.#aim;
    if (aim === null || aim.method !== method || aim.phase !== phase) return null;
    return ++this.#count === aim.nth ? aim : null;
  }

  /** Until another process has had the other statement answered, and not for longer than a second. */
  hold(process: SimulatedProcess, beside: string | null): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#besides.delete(hear);
        this.#time.clearTimeout(timer);
        resolve();
      };
      const hear = (other: SimulatedProcess, { method, phase }: Flight): void => {
        if (other !== process && method === beside && phase === "answered") end();
      };
      const timer = this.#time.setTimeout(end, 1_000);
      this.#besides.add(hear);
    });
  }
}
