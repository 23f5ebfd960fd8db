// Gauges of the store. One process of all that observe it asks, once per interval; what it was told is what its SDK reads,
// however often it collects.
import { randomUUID } from "node:crypto";
import { diag, type Meter, metrics } from "@opentelemetry/api";
import type { AnyStateAdapter, StateSummary } from "queuert";
import { assertPositiveMs, timerMs, rejectAfter } from "queuert/internal";
import { createStateGauges } from "./state-gauges.ts";
import { createStateLease, type LeasingState, observationTypeName } from "./state-lease.ts";

export interface ObserveStateOptions {
  readonly stateAdapter: LeasingState & Pick<AnyStateAdapter, "summarize" | "capabilities">;
  /** Default: `metrics.getMeter("queuert")`, of the SDK that is registered when this is called. */
  readonly meter?: Meter | undefined;
  /** Default: `"queuert"`. */
  readonly metricPrefix?: string | undefined;
  /** How often the store is asked. Default: 15 seconds. */
  readonly intervalMs?: number | undefined;
  /** From when on a running job counts as running long. Default: 5 minutes. */
  readonly runningLongMs?: number | undefined;
  /** The store could not be asked; it is tried again. Default: `diag.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface StateObservation {
  /** Whether this is the process that asks. */
  readonly isAsking: boolean;
  /** Ends it, and lets another process ask. Does not wait for a store that does not answer. */
  stop(): Promise<void>;
}

/** A process that is gone is replaced after this many intervals, and those that wait look twice in that time. */
const leaseIntervals = 4;
/** A store under load may take this long, however short the interval is. */
const answerMinMs = 1_000;
const stopTimeoutMs = 5_000;

/**
 * Measures the store itself: jobs by type and status, and what an operator wants to hear of. Call it in every process, or
 * in one: the store is asked once per interval either way.
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
      // Whoever is not answered for longer than the lease may not be the one to ask any more.
      const answerMs = Math.max(leaseMs, answerMinMs);
      const summary = await rejectAfter(answer, timerMs(answerMs), "Observing the state");
      gauges.report(isStopped ? null : summary);
    } catch (error) {
      // Old figures would look like new ones: `state.observed` says that nobody knows.
      gauges.report(null);
      onError(error);
    }
    // However late: asking once more meanwhile would only take one more connection. That it is late has been told.
    await answer.catch(() => undefined);
    if (isStopped) return;
    // Spread, so that processes started together do not look together.
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
      // One that cannot be given back expires.
      await rejectAfter(giveBack(), stopTimeoutMs, "Giving the observation back").catch(onError);
    },
  };
};

const spread = (): number => 0.8 + 0.4 * Math.random();

/** The job that stands for the observation is no work of anybody's. */
const withoutOwnJob = (summary: StateSummary, isRunningLong: boolean): StateSummary => ({
  ...summary,
  counts: summary.counts.filter(({ typeName }) => typeName !== observationTypeName),
  oldestReady: summary.oldestReady.filter(({ typeName }) => typeName !== observationTypeName),
  runningLongCount: Math.max(0, summary.runningLongCount - (isRunningLong ? 1 : 0)),
});
