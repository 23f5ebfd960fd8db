// A subscription that is tried until it is there: a notify adapter that cannot listen costs latency only.
import type { StopListening } from "../adapters/notify-adapter.ts";
import { withRetry } from "../async/retry.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";

/** How long a start or a stop waits for a subscription: a server that does not respond must not delay either. */
const patienceMs = 1_000;

/** Starts listening; resolves after the first try, successful or not, or when that takes long. */
export const listenResiliently = async (
  engine: Engine,
  listenOnce: () => Promise<StopListening>,
  /** Called when it listens, late or not: jobs that were notified before have to be found by a query. */
  onListening: () => void,
): Promise<StopListening> => {
  const stopping = new AbortController();
  let stop: StopListening | null = null;

  const attempt = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    const stopListening = await listenOnce();
    if (stopping.signal.aborted) return stopListening();
    stop = stopListening;
    onListening();
  };
  const tried = attempt();
  const listening = withRetry((retry) => (retry === 0 ? tried : attempt()), {
    maxRetries: Infinity,
    initialDelayMs: 200,
    maxDelayMs: 10_000,
    isRetryable: () => true,
    signal: stopping.signal,
    clock: engine.clock,
    random: engine.random,
  });
  await settleOrTimeout(engine.clock, tried, patienceMs);
  return async () => {
    stopping.abort();
    // A try that hangs ends with its own result. Errors are reported by the adapter's wrapping.
    await settleOrTimeout(engine.clock, listening, patienceMs);
    if (stop !== null) await settleOrTimeout(engine.clock, stop(), patienceMs);
  };
};
