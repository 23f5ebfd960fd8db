// A worker in a process of its own. It is started with a database's URL, prints each ended span as a line of JSON, and ends
// with its input.
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import pg from "pg";
import { createQueuert } from "queuert";
import { createOtelObservabilityAdapter } from "../../src/index.ts";
import { jobTypes } from "../job-types.ts";

const [url = ""] = process.argv.slice(2);
const say = (span: ReadableSpan): void => {
  const { traceId, spanId } = span.spanContext();
  const parentId = span.parentSpanContext?.spanId ?? null;
  console.log(JSON.stringify({ name: span.name, traceId, spanId, parentId }));
};
const saying: SpanProcessor = {
  onStart: () => undefined,
  onEnd: say,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};
new NodeTracerProvider({ spanProcessors: [saying] }).register();

const pool = new pg.Pool({ connectionString: url, max: 4 });
const stateAdapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
const queuert = await createQueuert({
  stateAdapter,
  jobTypeDefinitions: jobTypes,
  observabilityAdapter: createOtelObservabilityAdapter(),
});
await queuert
  .createWorker()
  .implementJobType({
    typeName: "task",
    process: async ({ job, complete }) => complete(async () => job.input),
  })
  .implementJobType({
    typeName: "first",
    process: async ({ job, complete }) =>
      complete(async ({ continueWith }) => continueWith({ typeName: "second", input: job.input })),
  })
  .implementJobType({
    typeName: "second",
    process: async ({ job, complete }) => complete(job.input),
  })
  .implementJobType({
    typeName: "waiting",
    process: async ({ job, complete }) => complete(job.input),
  })
  .start({ pollIntervalMs: 20 });

process.stdin.resume().once("end", () => {
  void queuert.close().then(() => pool.end());
});
