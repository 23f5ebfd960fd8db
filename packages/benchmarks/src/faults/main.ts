// The cost of faults of the broker. Jobs are started at a steady pace while it fails and comes back.
// Each must run within the poll interval after the fault has begun.
// One run on one machine, worker and starter with connections of their own.
//   pnpm build && npx tsx packages/benchmarks/src/faults/main.ts [redis|nats] [runs]
import { setTimeout as sleep } from "node:timers/promises";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { createQueuert } from "queuert";
import { jobTypes, nowMs } from "../notify/client.ts";
import type { Fault, FaultyBroker } from "./broker.ts";
import { openNatsFaults } from "./nats.ts";
import { openRedisClusterFaults, openRedisFaults } from "./redis.ts";

const pollIntervalMs = 2_000;
const startEveryMs = 20;
const beforeMs = 500;
const faultMs = 1_500;
const afterMs = 1_500;

const [only, runs = "5"] = process.argv.slice(2);
const runCount = Number(runs);
const postgres = await startPostgres({ exclusive: true });

const openStore = async (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const stateProvider = createPgPoolStateProvider(pool);
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  return { stateAdapter, close: () => pool.end() };
};

interface RunReport {
  readonly delays: readonly number[];
  readonly lost: number;
}

const runOnce = async (broker: FaultyBroker, fault: Fault, prefix: string): Promise<RunReport> => {
  const store = await openStore((await postgres.createDatabase()).url);
  const openClient = async () => {
    const notify = await broker.open(prefix);
    const { stateAdapter } = store;
    const { notifyAdapter } = notify;
    const queuert = await createQueuert({
      stateAdapter,
      notifyAdapter,
      jobTypeDefinitions: jobTypes,
      // Failures are reported there many times a second.
      log: () => undefined,
    });
    return { queuert, close: () => queuert.close().then(notify.close) };
  };
  const starter = await openClient();
  // Two processes' worth of listeners: with one, Redis knows that no process needs hints.
  const workers = [await openClient(), await openClient()];
  const delays: number[] = [];
  for (const { queuert } of workers) {
    const worker = queuert.createWorker().implementJobType({
      typeName: "measured",
      process: async ({ job, complete }) => {
        delays.push(nowMs() - job.input.at);
        return complete(null);
      },
    });
    await worker.start({ concurrency: 5, pollIntervalMs });
  }
  const started: Promise<unknown>[] = [];
  const startFor = async (ms: number): Promise<void> => {
    for (const end = nowMs() + ms; nowMs() < end; await sleep(startEveryMs)) {
      const input = { at: nowMs() };
      const start = starter.queuert.transaction((tx) =>
        starter.queuert.startJobSequence({ ...tx, typeName: "measured", input }),
      );
      started.push(start);
    }
  };
  await startFor(beforeMs);
  const end = await fault.begin();
  await startFor(faultMs);
  await end();
  await startFor(afterMs);
  await Promise.all(started);
  const deadline = nowMs() + 3 * pollIntervalMs;
  while (delays.length < started.length && nowMs() < deadline) await sleep(20);
  for (const client of [...workers, starter]) await client.close();
  await store.close();
  return { delays, lost: started.length - delays.length };
};

const print = async (broker: FaultyBroker): Promise<void> => {
  console.log(`\n${broker.name}, polling every ${pollIntervalMs} ms\n`);
  console.log("| fault | runs | jobs | lost | worst delay, in polls |\n|---|---:|---:|---:|---:|");
  for (const fault of broker.faults) {
    const reports: RunReport[] = [];
    for (let run = 0; run < runCount; run += 1) {
      const prefix = `f${process.pid.toString(36)}_${broker.faults.indexOf(fault)}_${run}`;
      reports.push(await runOnce(broker, fault, prefix));
    }
    const delays = reports.flatMap((report) => report.delays);
    const lost = reports.reduce((sum, report) => sum + report.lost, 0);
    const cells = [
      fault.name,
      runCount,
      delays.length + lost,
      lost,
      (Math.max(...delays) / pollIntervalMs).toFixed(2),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  await broker.close();
};

try {
  if (only !== "nats") {
    await print(await openRedisFaults());
    await print(await openRedisClusterFaults());
  }
  if (only !== "redis") await print(await openNatsFaults());
} finally {
  await postgres.close();
}
