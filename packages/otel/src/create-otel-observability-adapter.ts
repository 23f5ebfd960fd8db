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

export interface OtelObservabilityAdapterOptions {
  /** Default: `metrics.getMeter("queuert")`, of the SDK that is registered when the adapter is made. */
  readonly meter?: Meter | undefined;
  /** Default: `trace.getTracer("queuert")`. */
  readonly tracer?: Tracer | undefined;
  /** What the name of every instrument begins with. Default: `"queuert"`. */
  readonly metricPrefix?: string | undefined;
  /**
   * Store OpenTelemetry's baggage with jobs, and have it active again where they are processed. Default: false, since
   * baggage may hold what does not belong in a database.
   */
  readonly baggage?: boolean | undefined;
}

/**
 * Metrics and traces of what Queuert does, through the OpenTelemetry SDK of the application. Register the SDK first: the
 * API of metrics knows no later.
 */
export const createOtelObservabilityAdapter = (
  options: OtelObservabilityAdapterOptions = {},
): ObservabilityAdapter => {
  const { meter = metrics.getMeter("queuert"), tracer } = options;
  const { metricPrefix = "queuert", baggage = false } = options;
  // What nobody measures is not even counted.
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

/** What a proxy stands for as long as nobody has registered anything. */
const noProvider = new ProxyTracerProvider().getDelegate();

/** Asked for every span, since an SDK may be registered later: without one, nothing more than this is done. */
const isTracerProviderRegistered = (): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
};
