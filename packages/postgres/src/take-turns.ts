// Of a pool's connections one is never held by a transaction: renewals, claims and settling by value go through whatever
// process functions do inside of theirs, or leases would run out behind them.

/** Runs at most so many at a time; the others wait in the order in which they came. */
export const createTurns = (max: number): (<T>(run: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    // Whoever ends hands the turn on, so nobody who comes meanwhile can overtake.
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

/** How many transactions of so many connections; a single one serves everybody. */
export const transactionsMax = (connectionsMax: number | undefined): number =>
  connectionsMax === undefined || connectionsMax < 2
    ? Number.POSITIVE_INFINITY
    : connectionsMax - 1;
