// OpenTelemetry as an application sets it up. Spans go into a file here, one line each, so that the example can show them;
// yours go to a Collector.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { metrics } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { toLine } from "./trace-tree.ts";

export interface Telemetry {
  /** Where Prometheus scrapes this process. */
  readonly metricsUrl: string;
  readonly shutdown: () => Promise<void>;
}

/** Registers tracing and metrics for this process: before the adapter is made. */
export const startTelemetry = async (service: string, spansPath: string): Promise<Telemetry> => {
  const toFile: SpanExporter = {
    export: (spans, done) => {
      appendFileSync(spansPath, spans.map((span) => toLine(service, span)).join(""));
      done({ code: 0 });
    },
    shutdown: async () => undefined,
  };
  const tracers = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(toFile)] });
  tracers.register();

  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meters = new MeterProvider({ readers: [exporter] });
  metrics.setGlobalMeterProvider(meters);
  const server = createServer((request, response) =>
    exporter.getMetricsRequestHandler(request, response),
  );
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    metricsUrl: `http://localhost:${port}/metrics`,
    shutdown: async () => {
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
      server.close();
    },
  };
};
