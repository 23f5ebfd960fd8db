// The parts of a floor's worker: loops that sleep when there is nothing, until a hint or the next
// poll.
const pollMs = 1_000;

export interface Loops {
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
}

/** `step` does one batch and answers how many jobs it had. */
export const createLoops = (count: number, step: () => Promise<number>): Loops => {
  const stopping = new AbortController();
  let wakeUps: (() => void)[] = [];
  // A hint that comes while a loop is between its look and its sleep must not be missed.
  let hints = 0;
  const wake = (): void => {
    hints += 1;
    const waiting = wakeUps;
    wakeUps = [];
    for (const wakeUp of waiting) wakeUp();
  };
  const sleepUnlessHinted = async (seen: number): Promise<void> => {
    if (hints !== seen || stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      wakeUps.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const seen = hints;
      if ((await step()) === 0) await sleepUnlessHinted(seen);
    }
  };
  const running = Promise.all(Array.from({ length: count }, loop));
  // Reported by `stop`; a drain that cannot finish reports it earlier.
  running.catch(() => undefined); // The awaiter sees its error.
  return {
    wake,
    stop: async () => {
      stopping.abort();
      wake();
      await running;
    },
  };
};
