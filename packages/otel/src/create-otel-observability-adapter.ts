import {
  createNoopMeter,
  diag,
  type Meter,
  metrics,
  ProxyTracerProvider,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { ObservabilityAdapter } from "queuert";
import { createMetrics } from "./metrics.ts";
import { createStartSpan, logAttributes } from "./spans.ts";

/** The options of `createOtelObservabilityAdapter`. */
export interface OtelObservabilityAdapterOptions {
  /** Default: `metrics.getMeter("queuert")`, of the SDK that is registered when the adapter is made. */
  readonly meter?: Meter | undefined;
  /** Default: `trace.getTracer("queuert")`. */
  readonly tracer?: Tracer | undefined;
  /** The beginning of every instrument's name. Default: `"queuert"`. */
  readonly metricPrefix?: string | undefined;
  /**
   * Store OpenTelemetry's baggage with jobs, and make it active in their attempts. Default: false, since baggage may hold
   * data that does not belong in a database.
   */
  readonly baggage?: boolean | undefined;
}

/**
 * Metrics and traces of Queuert, through the OpenTelemetry SDK of the application. Register the SDK first: instruments that
 * were made before it stay without effect.
 *
 * @example
 * ```ts
 * const queuert = await createQueuert({
 *   stateAdapter,
 *   jobTypeDefinitions: jobTypes,
 *   observabilityAdapter: createOtelObservabilityAdapter(),
 * });
 * ```
 */
export const createOtelObservabilityAdapter = (
  options: OtelObservabilityAdapterOptions = {},
): ObservabilityAdapter => {
  const { meter = metrics.getMeter("queuert"), tracer } = options;
  const { metricPrefix = "queuert", baggage = false } = options;
  // Without an SDK for metrics, events are not counted.
  const isMeasuring = meter !== createNoopMeter();
  if (!isMeasuring) {
    diag.warn("queuert: no MeterProvider is registered, so nothing is measured");
  }
  return {
    ...(isMeasuring && createMetrics(meter, metricPrefix)),
    startSpan: createStartSpan(
      tracer ?? trace.getTracer("queuert"),
      baggage,
      tracer === undefined ? isTracerProviderRegistered : () => true,
    ),
    logAttributes,
  };
};

/** The delegate of a proxy while no SDK is registered. */
const noProvider = new ProxyTracerProvider().getDelegate();

/** Checked for every span, since an SDK may be registered later. Without one, no span is made. */
const isTracerProviderRegistered = (): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
};
