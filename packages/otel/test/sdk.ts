// The real SDK, exporting to memory. Its context manager is registered once for a file; providers are each test's own.
import { AggregationTemporality, InMemoryMetricExporter } from "@opentelemetry/sdk-metrics";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Meter, Tracer } from "@opentelemetry/api";

new NodeTracerProvider().register();

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Sdk {
  readonly meter: Meter;
  readonly tracer: Tracer;
  readonly metrics: () => Promise<ReadonlyMap<string, MetricData>>;
  /** The value of a series, or a histogram's count; 0 where there is none. */
  readonly value: (name: string, attributes?: Attributes) => Promise<number>;
  readonly spans: () => readonly ReadableSpan[];
}

export const createSdk = (sampler?: Sampler): Sdk => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  const spanExporter = new InMemorySpanExporter();
  const tracers = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
    ...(sampler !== undefined && { sampler }),
  });
  const metrics = async (): Promise<ReadonlyMap<string, MetricData>> => {
    metricExporter.reset();
    await reader.forceFlush();
    const scopes = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return new Map(
      scopes.flatMap((scope) => scope.metrics.map((metric) => [metric.descriptor.name, metric])),
    );
  };
  return {
    meter: meters.getMeter("test"),
    tracer: tracers.getTracer("test"),
    metrics,
    value: async (name, attributes = {}) => {
      const points = (await metrics()).get(name)?.dataPoints ?? [];
      const own = points.filter((point) =>
        Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
      );
      return own.reduce((sum, { value }) => sum + toNumber(value), 0);
    },
    spans: () => spanExporter.getFinishedSpans(),
  };
};

type PointValue = MetricData["dataPoints"][number]["value"];

const toNumber = (value: PointValue): number => (typeof value === "number" ? value : value.count);

/** Names and nesting, as a viewer shows them: children below their parents in the order of their starts. */
export const drawSpans = (spans: readonly ReadableSpan[]): string => {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const startedAt = ({ startTime: [seconds, nanos] }: ReadableSpan): number =>
    seconds * 1e9 + nanos;
  const ordered = spans.toSorted((one, other) => startedAt(one) - startedAt(other));
  const draw = (parentId: string | undefined, indent: string): string[] =>
    ordered
      .filter(({ parentSpanContext: parent }) =>
        parentId === undefined
          ? parent === undefined || !ids.has(parent.spanId)
          : parent?.spanId === parentId,
      )
      .flatMap((span) => [
        `${indent}${span.name}`,
        ...draw(span.spanContext().spanId, `${indent}  `),
      ]);
  return draw(undefined, "").join("\n");
};
