// The clock of the server can be set back. A job that was due when it became pending then has a due time in the future.
// It stays due: each probe reaches as far as the clock has ever shown. A new worker, and one that notices the step, asks the server how far
// that is.

export interface ShownClock {
  /** How far probes reach, in microseconds since 1970; null: the server has to look. */
  horizonUs(): number | null;
  /** An acquisition has returned this time of the server, and the horizon that it used. */
  learn(atUs: number, horizonUs: number): void;
}

const lookIntervalMs = 10_000;

export const createShownClock = (now: () => number = () => performance.now()): ShownClock => {
  let shownUs: number | null = null;
  let isBehind = false;
  let lookedAt = 0;
  return {
    horizonUs: () => {
      if (shownUs !== null && !(isBehind && now() - lookedAt >= lookIntervalMs)) return shownUs;
      lookedAt = now();
      return null;
    },
    learn: (atUs, horizonUs) => {
      isBehind = atUs < Math.max(shownUs ?? 0, horizonUs);
      shownUs = Math.max(shownUs ?? 0, atUs, horizonUs);
    },
  };
};
