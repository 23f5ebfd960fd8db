// Metrics and one trace across two processes, with PostgreSQL between them. Run it with
//   npx tsx --conditions=@queuert/source packages/examples/src/observability/main.ts
// It uses the database of DATABASE_URL. Without that variable it starts a PostgreSQL of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { trace } from "@opentelemetry/api";
import { startPostgres } from "@queuert/test-services";
import { openQueuert } from "./open-queuert.ts";
import { startTelemetry } from "./telemetry.ts";
import { drawTraces } from "./trace-tree.ts";

const given = process.env["DATABASE_URL"];
const server = given === undefined ? await startPostgres() : null;
const url = given ?? (await server?.createDatabase())?.url ?? "";
const spansPath = join(mkdtempSync(join(tmpdir(), "queuert-observability-")), "spans.jsonl");
const telemetry = await startTelemetry("shop", spansPath);
const { queuert, close } = await openQueuert(url);

const path = fileURLToPath(new URL("worker.ts", import.meta.url));
const worker = spawn(process.execPath, [...process.execArgv, path, url, spansPath], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [metricsUrl] = (await once(createInterface({ input: worker.stdout }), "line")) as [string];

// The span that instrumentation of an HTTP server opens around a request.
const order = await trace.getTracer("shop").startActiveSpan("POST /orders", async (span) => {
  const input = { orderId: 7 };
  const sequence = await queuert.transaction(({ client }) =>
    queuert.startJobSequence({
      client,
      typeName: "ship-order",
      input,
      startBlockers: async () => [
        await queuert.startJobSequence({ client, typeName: "charge-card", input }),
        await queuert.startJobSequence({ client, typeName: "pack-order", input }),
      ],
    }),
  );
  span.end();
  return sequence;
});
await queuert.waitForJobSequenceCompletion({
  typeName: "ship-order",
  id: order.id,
  timeoutMs: 20_000,
});

// The state is asked every 200 ms: wait until it has been since.
const deadline = performance.now() + 5_000;
let scraped = "";
while (!/^queuert_state_observed\S* 1$/m.test(scraped) && performance.now() < deadline) {
  scraped = await (await fetch(metricsUrl)).text();
}
worker.stdin.end();
await once(worker, "exit");
await close();
await telemetry.shutdown();
await server?.close();

const series = scraped
  .split("\n")
  .filter((text) => text.startsWith("queuert_") && !/_(bucket|sum)\{/.test(text))
  .map((text) => `  ${text.replace(/,?otel_scope_name="queuert",?/, "").replace("{}", "")}`);
console.log(`The worker's metrics, as Prometheus scrapes them (without buckets and sums):\n`);
console.log(series.join("\n"));
console.log(`\nThe trace, of two processes:\n`);
console.log(drawTraces(readFileSync(spansPath, "utf8")));
