// The drivers are synchronous, and no driver can end a statement. So a long read is made in steps, with a turn of the event loop
// after each. A read with a limit ends between two steps.
import { StatementTimeoutError } from "queuert/internal";

/** Jobs looked at in one turn of the event loop. */
export const stepSize = 5_000;

/** Waits for the next turn. Rejects if the time is over. */
export const turnsWithin = (timeoutMs: number | undefined): (() => Promise<void>) => {
  const end = performance.now() + (timeoutMs ?? Infinity);
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() > end) throw new StatementTimeoutError(timeoutMs ?? 0);
  };
};
