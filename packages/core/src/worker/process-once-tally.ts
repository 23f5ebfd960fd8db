// The outcomes of the jobs of one `processOnce`. Attempts that have ended are forgotten: a long call must not keep their
// payloads.
import type { Clock } from "../async/clock.ts";
import type { Attempt, HeldAttempts } from "../lifecycle/process-job/attempt.ts";

type Counted = "completed" | "failed" | "rescheduled" | "lost" | "handedBack" | "leftBehind";

export class ProcessOnceTally {
  readonly #clock: Pick<Clock, "now">;
  /** Those that the worker holds. */
  readonly #attempts: HeldAttempts;
  readonly #held = new Set<Attempt>();
  readonly #counts = {
    completed: 0,
    failed: 0,
    rescheduled: 0,
    lost: 0,
    handedBack: 0,
    leftBehind: 0,
  };
  takenCount = 0;
  longestMs = 0;

  constructor(clock: Pick<Clock, "now">, attempts: HeldAttempts) {
    this.#clock = clock;
    this.#attempts = attempts;
  }

  /** After an acquisition. */
  took(): void {
    for (const attempt of this.#attempts) {
      if (this.#held.has(attempt)) continue;
      this.#held.add(attempt);
      this.takenCount++;
    }
  }

  count(): void {
    for (const attempt of this.#held) {
      if (this.#attempts.has(attempt)) continue;
      this.#held.delete(attempt);
      this.#counts[toCounted(attempt)]++;
      const elapsedMs = this.#clock.now() - attempt.startedAt;
      if (attempt.hasBegun) this.longestMs = Math.max(this.longestMs, elapsedMs);
    }
  }

  total(): Readonly<Record<Counted, number>> {
    this.count();
    return { ...this.#counts, leftBehind: this.#counts.leftBehind + this.#held.size };
  }
}

const toCounted = ({ result, hasBegun }: Attempt): Counted => {
  switch (result) {
    case "completed":
    case "continued":
      return "completed";
    case "failed":
      return "failed";
    case "retried":
    case "rescheduled":
      return "rescheduled";
    case "lost":
    case "cancelled":
      return "lost";
    default:
      return hasBegun ? "leftBehind" : "handedBack";
  }
};
