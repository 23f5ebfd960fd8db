// The worker's subscriptions. A notify adapter that cannot listen costs latency only. Polling continues, and listening is
// tried again with backoff until the worker stops.
import type { StopListening } from "../adapters/notify-adapter.ts";
import { exponentialDelayMs, withJitter } from "../model/backoff.ts";
import { sleep } from "../async/sleep.ts";
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";

/** How long a start or a stop waits for a subscription: a server that does not respond must not delay either. */
const patienceMs = 1_000;

/** Starts listening; resolves after the first try, successful or not, or when that takes long. */
export const listenResiliently = async (
  engine: Engine,
  listen: () => Promise<StopListening>,
  /** Called when it listens, late or not: jobs that were notified before have to be found by a query. */
  onListening: () => void,
): Promise<StopListening> => {
  const stopping = new AbortController();
  let stop: StopListening | null = null;

  const attempt = async (): Promise<boolean> => {
    try {
      const stopListening = await listen();
      if (stopping.signal.aborted) await stopListening();
      else {
        stop = stopListening;
        onListening();
      }
      return true;
    } catch (error) {
      // Reported by the adapter's wrapping.
      void error;
      return false;
    }
  };
  const retry = async (): Promise<void> => {
    for (let count = 1; !stopping.signal.aborted; count++) {
      const delayMs = exponentialDelayMs(count, 200, 2, 10_000);
      await sleep(engine.clock, withJitter(delayMs, "equal", engine.random), stopping.signal);
      if (stopping.signal.aborted || (await attempt())) return;
    }
  };

  const tried = attempt();
  const retrying = tried.then((isListening) => (isListening ? undefined : retry()));
  await settleOrTimeout(engine.clock, tried, patienceMs);
  return async () => {
    stopping.abort();
    // A try that hangs ends with its own result.
    await settleOrTimeout(engine.clock, retrying, patienceMs);
    // Its errors are reported by the adapter's wrapping.
    if (stop !== null) await settleOrTimeout(engine.clock, stop(), patienceMs);
  };
};
