// One connection of a pool is never held by a transaction. Renewals, acquisitions and completions by value therefore pass
// beside the transactions of process functions; otherwise leases would expire behind them.
//
// A transaction that a callback opens inside its own waits for a permit that the callback holds. The semaphore cannot tell
// such a transaction from another that waits. If no transaction ends for a while, it lends the reserved connection to the
// first in line. If none ends for longer, it refuses those that wait.
//
// Async context could tell them apart. Up to Node 22 it slows down every promise while a transaction is open, and in a worker
// some transaction nearly always is. A shorter wait would also lend the connection when transactions are merely slow.
import type { BaseStateAdapterContext, StateAdapter } from "queuert/internal";
import { PgTransactionStalledError } from "./errors.ts";
import { toNamedError } from "./named-errors.ts";
import type { PgStateProvider } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

/** Methods that run the user's code. An error of that code passes unchanged. */
export const transactionMethods = <
  TTxContext extends BaseStateAdapterContext,
  TContext extends BaseStateAdapterContext,
>(
  provider: PgStateProvider<TTxContext, TContext>,
  names: StoreNames,
): Pick<
  StateAdapter<TTxContext, TContext, string>,
  "runInTransaction" | "provideContext" | "isInTransaction"
> => {
  const withPermit = createTransactionSemaphore(transactionsMax(provider.connectionsMax));
  return {
    runInTransaction: (callback) =>
      withPermit(async () => {
        let begun = false;
        try {
          return await provider.runInTransaction((context) => {
            begun = true;
            return callback(context);
          });
        } catch (error) {
          throw begun ? error : toNamedError(error, names);
        }
      }),
    provideContext: (callback) => provider.provideContext(callback),
    isInTransaction: (context) => provider.isInTransaction(context),
  };
};

export interface TransactionPatience {
  /** Without the end of a transaction for this long, one more may begin. */
  readonly lendAfterMs: number;
  /** Without the end of a transaction for this long, waiting ones are refused. */
  readonly refuseAfterMs: number;
}

const defaultPatience: TransactionPatience = { lendAfterMs: 1_000, refuseAfterMs: 30_000 };

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
  readonly since: number;
}

/** Runs at most `max` callbacks at a time, and one more in a stall. The others wait in the order of their calls. */
export const createTransactionSemaphore = (
  max: number,
  { lendAfterMs, refuseAfterMs }: TransactionPatience = defaultPatience,
): (<T>(run: () => Promise<T>) => Promise<T>) => {
  const waiting: Waiting[] = [];
  let running = 0;
  let lastEnd = 0;
  let timer: NodeJS.Timeout | null = null;

  const watch = (): void => {
    timer ??= setInterval(() => {
      const stalledMs = performance.now() - lastEnd;
      if (stalledMs >= lendAfterMs && running === max) beginNext();
      if (stalledMs >= refuseAfterMs) refuseOldest();
      if (waiting.length > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    }, lendAfterMs);
  };
  const refuseOldest = (): void => {
    const before = performance.now() - refuseAfterMs;
    const count = waiting.filter(({ since }) => since <= before).length;
    for (const { refuse } of waiting.splice(0, count)) {
      refuse(new PgTransactionStalledError(max, refuseAfterMs));
    }
  };
  const beginNext = (): void => {
    const next = waiting.shift();
    if (next === undefined) return;
    running += 1;
    next.begin();
  };

  return async (run) => {
    if (running < max) running += 1;
    else {
      await new Promise<void>((begin, refuse) => {
        if (waiting.length === 0) lastEnd = Math.max(lastEnd, performance.now());
        waiting.push({ begin, refuse, since: performance.now() });
        watch();
      });
    }
    try {
      return await run();
    } finally {
      running -= 1;
      lastEnd = performance.now();
      // The end of one transaction starts the next in line, so that a later call cannot overtake it.
      if (running < max) beginNext();
    }
  };
};

/** How many transactions may hold one of these connections; a single connection serves all callers. */
const transactionsMax = (connectionsMax: number | undefined): number =>
  connectionsMax === undefined || connectionsMax < 2
    ? Number.POSITIVE_INFINITY
    : connectionsMax - 1;
