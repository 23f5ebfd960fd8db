// The worker's process: prints the address of its metrics, works until its input ends, and exports
// its remaining spans.
import { setTimeout as sleep } from "node:timers/promises";
import { trace } from "@opentelemetry/api";
import { observeState } from "@queuert/otel";
import { openQueuert } from "./open-queuert.ts";
import { startTelemetry } from "./telemetry.ts";

const [url = "", spansPath = ""] = process.argv.slice(2);
const telemetry = await startTelemetry("worker", spansPath);
const { queuert, stateAdapter, close } = await openQueuert(url);
const tracer = trace.getTracer("shop");

await queuert
  .createWorker()
  .implementJobType({
    typeName: "charge-card",
    retryConfig: { initialDelayMs: 50 },
    process: async ({ job, prepare, complete }) => {
      await prepare({ mode: "staged" }, async ({ client }) => client.query("SELECT 1"));
      // A span of the application's own: it nests under the attempt.
      await tracer.startActiveSpan("POST payments.example/charges", async (span) => {
        await sleep(20);
        span.end();
      });
      if (job.attempt === 1) throw new Error("the bank does not answer");
      return complete(async () => ({ chargeId: `ch_${job.input.orderId}` }));
    },
  })
  .implementJobType({
    typeName: "pack-order",
    process: async ({ job, complete }) => {
      await sleep(30);
      return complete({ parcel: `parcel ${job.input.orderId}` });
    },
  })
  .implementJobType({
    typeName: "ship-order",
    process: async ({ job, complete }) =>
      complete.continueWith({
        typeName: "send-receipt",
        input: { orderId: job.input.orderId, parcel: job.blockers[1].output.parcel },
      }),
  })
  .implementJobType({
    typeName: "send-receipt",
    process: async ({ job, complete }) =>
      complete({ sentTo: `the customer of ${job.input.orderId}` }),
  })
  .start({ workerId: "worker-1", pollIntervalMs: 50 });
const observation = observeState({ stateAdapter, intervalMs: 200 });

console.log(telemetry.metricsUrl);
process.stdin.resume().once("end", () => {
  void observation.stop().then(close).then(telemetry.shutdown);
});
