// An adapter that is made before the SDK: it warns, traces, and measures nothing. The tests have a file of their own, since
// an SDK is registered for a whole process.
import { diag, DiagLogLevel, metrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createInProcessStateAdapter, createQueuert } from "queuert";
import { expect, it, onTestFinished } from "vitest";
import { createOtelObservabilityAdapter } from "../src/index.ts";
import { jobTypes } from "./job-types.ts";

const registerSdk = () => {
  const spans = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const metricNames = async (): Promise<readonly string[]> => {
    await reader.forceFlush();
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return scopes.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name));
  };
  return { spans, metricNames };
};

const runTask = async (
  observabilityAdapter: ReturnType<typeof createOtelObservabilityAdapter>,
  whileOpen: () => void = () => undefined,
): Promise<void> => {
  const queuert = await createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: jobTypes,
    observabilityAdapter,
    log: Object.assign(() => undefined, { minimumLevel: "error" as const }),
  });
  whileOpen();
  const { id } = await queuert.transaction((tx) =>
    queuert.startJobSequence({ ...tx, typeName: "task", input: { secret: "" } }),
  );
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      process: async ({ job, complete }) => complete(job.input),
    })
    .start({ pollIntervalMs: 20 });
  await queuert.waitForJobSequenceCompletion({ id, typeName: "task", timeoutMs: 10_000 });
  await worker.stop();
  await queuert.close();
};

it("an adapter that is made before the SDK traces when that comes, measures nothing, and says so", async () => {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const logger = { error: ignore, info: ignore, debug: ignore, verbose: ignore };
  const warn = (message: string): void => void warnings.push(message);
  diag.setLogger({ ...logger, warn }, DiagLogLevel.WARN);
  onTestFinished(() => {
    diag.disable();
    trace.disable();
    metrics.disable();
  });
  const early = createOtelObservabilityAdapter();
  expect(warnings.join()).toContain("no MeterProvider is registered");

  let sdk: ReturnType<typeof registerSdk> | undefined;
  await runTask(early, () => (sdk = registerSdk()));
  const traced = sdk?.spans.getFinishedSpans().map(({ name }) => name);
  expect(traced).toEqual(expect.arrayContaining(["start task", "process task", "settle task"]));
  expect(await sdk?.metricNames()).toEqual([]);

  warnings.length = 0;
  await runTask(createOtelObservabilityAdapter({ metricPrefix: "acme.jobs" }));
  expect(warnings).toEqual([]);
  const names = await sdk?.metricNames();
  expect(names).toContain("acme.jobs.job.completed");
  expect(names?.filter((name) => !name.startsWith("acme.jobs."))).toEqual([]);
});
