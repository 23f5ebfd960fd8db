// Gauges of the store. One of the observing processes queries the store, once per interval. Its SDK reads the last result,
// however often it collects.
import { randomUUID } from "node:crypto";
import { diag, type Meter, metrics } from "@opentelemetry/api";
import type { AnyStateAdapter, StateSummary } from "queuert";
import { assertPositiveMs, timerMs, rejectAfter } from "queuert/internal";
import { createStateGauges } from "./state-gauges.ts";
import { createStateLease, type LeasingState, observationTypeName } from "./state-lease.ts";

/** The options of `observeState`. */
export interface ObserveStateOptions {
  /** The adapter of the store to measure. */
  readonly stateAdapter: LeasingState & Pick<AnyStateAdapter, "summarize" | "capabilities">;
  /** Default: `metrics.getMeter("queuert")`, of the SDK that is registered when this is called. */
  readonly meter?: Meter | undefined;
  /** Default: `"queuert"`. */
  readonly metricPrefix?: string | undefined;
  /** How often the store is queried. Default: 15 seconds. */
  readonly intervalMs?: number | undefined;
  /** A job that runs for longer counts as running long. Default: 5 minutes. */
  readonly runningLongMs?: number | undefined;
  /** Called when a query has failed; the next interval tries again. Default: `diag.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The running observation of a store. */
export interface StateObservation {
  /** Whether this process queries the store. */
  readonly isAsking: boolean;
  /** Stops, and lets another process take over. Does not wait for an unresponsive store. */
  stop(): Promise<void>;
}

/** A vanished process is replaced after this many intervals; waiting processes check twice in that time. */
const leaseIntervals = 4;
/** A store under load may take this long, even with a short interval. */
const answerMinMs = 1_000;
const stopTimeoutMs = 5_000;

/**
 * Measures the store itself: jobs by type and status, ages, and jobs that need an operator. Call it in every process, or in
 * one: the store is queried once per interval either way.
 *
 * @example
 * ```ts
 * const observation = observeState({ stateAdapter, intervalMs: 15_000 });
 * // at shutdown
 * await observation.stop();
 * ```
 */
export const observeState = (options: ObserveStateOptions): StateObservation => {
  const { stateAdapter: state, meter = metrics.getMeter("queuert") } = options;
  const { metricPrefix = "queuert", intervalMs = 15_000, runningLongMs = 300_000 } = options;
  const { onError = (error: unknown) => diag.error("queuert: observing the state failed", error) } =
    options;
  assertPositiveMs(intervalMs, "intervalMs");
  assertPositiveMs(runningLongMs, "runningLongMs");
  const gauges = createStateGauges(meter, metricPrefix);
  const leaseMs = leaseIntervals * intervalMs;
  const lease = createStateLease(state, `observer-${randomUUID()}`, leaseMs);
  let isAsking = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (): Promise<StateSummary | null> => {
    isAsking = isAsking ? await lease.keep() : await lease.take();
    const heldForMs = lease.heldForMs();
    const summary = isAsking ? await state.summarize({ runningLongMs }) : null;
    const isLong = heldForMs !== null && heldForMs > runningLongMs;
    return summary === null ? null : withoutOwnJob(summary, isLong);
  };

  const round = async (): Promise<void> => {
    const answer = ask();
    try {
      // Without a result for longer than the lease, another process may have taken over.
      const answerMs = Math.max(leaseMs, answerMinMs);
      const summary = await rejectAfter(answer, timerMs(answerMs), "Observing the state");
      gauges.report(isStopped ? null : summary);
    } catch (error) {
      // Old figures would look like new ones: `state.observed` is 0 instead.
      gauges.report(null);
      onError(error);
    }
    // A late query is awaited: a second one would only take another connection. The delay has been reported.
    await answer.catch(() => undefined);
    if (isStopped) return;
    // Spread, so that processes that were started together do not check together.
    const waitMs = isAsking ? intervalMs : (leaseIntervals / 2) * intervalMs * spread();
    timer = setTimeout(start, timerMs(waitMs));
    // Measuring keeps no process alive.
    timer.unref();
  };
  let running = Promise.resolve();
  const start = (): void => {
    running = round();
  };
  start();
  const giveBack = async (): Promise<void> => {
    await running;
    await lease.release();
  };

  return {
    get isAsking() {
      return isAsking && !isStopped;
    },
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(timer);
      gauges.report(null);
      // A lease that cannot be given back expires.
      await rejectAfter(giveBack(), stopTimeoutMs, "Giving the observation back").catch(onError);
    },
  };
};

const spread = (): number => 0.8 + 0.4 * Math.random();

/** The job of the observation is not counted. */
const withoutOwnJob = (summary: StateSummary, isRunningLong: boolean): StateSummary => ({
  ...summary,
  counts: summary.counts.filter(({ typeName }) => typeName !== observationTypeName),
  oldestReady: summary.oldestReady.filter(({ typeName }) => typeName !== observationTypeName),
  runningLongCount: Math.max(0, summary.runningLongCount - (isRunningLong ? 1 : 0)),
});
