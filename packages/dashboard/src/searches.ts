// Searches look at many jobs each. One person has a few at a time, so that the store stays free for its application.
import { DashboardError } from "./dashboard-error.ts";

const atOnceMax = 4;

export class Searches {
  readonly #running = new Map<string | null, number>();

  /** Runs a search of a person. Refuses it if too many are under way. */
  async run<T>(user: string | null, search: () => Promise<T>): Promise<T> {
    const running = this.#running.get(user) ?? 0;
    if (running >= atOnceMax) {
      throw new DashboardError(
        "QUEUERT_DASHBOARD_BUSY",
        `${atOnceMax} searches of this person are under way: try again when one has ended.`,
      );
    }
    this.#running.set(user, running + 1);
    try {
      return await search();
    } finally {
      const left = (this.#running.get(user) ?? 1) - 1;
      if (left === 0) this.#running.delete(user);
      else this.#running.set(user, left);
    }
  }
}
