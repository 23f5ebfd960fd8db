// One connection of a pool is never held by a transaction. Renewals, acquisitions and completions by value therefore pass,
// whatever process functions do inside their transactions; otherwise leases would expire behind them.

/** Runs at most `max` callbacks at a time; the others wait in the order of their calls. */
export const createTransactionSemaphore = (
  max: number,
): (<T>(run: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    // The end of one transaction starts the next in line, so that a later call cannot overtake it.
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

/** How many transactions may hold one of these connections; a single connection serves all callers. */
export const transactionsMax = (connectionsMax: number | undefined): number =>
  connectionsMax === undefined || connectionsMax < 2
    ? Number.POSITIVE_INFINITY
    : connectionsMax - 1;
