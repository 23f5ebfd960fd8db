// Notifications: how soon a started job begins in another process, and how many acquisitions it
// takes with many idle workers. The floor and BullMQ run in the same run on the same machine, so
// that the ratios mean something.
//   pnpm build && npx tsx packages/benchmarks/src/notify/main.ts [latency|rate|acquisitions]…
import { setTimeout as sleep } from "node:timers/promises";
import { startNats } from "@queuert/test-services/nats";
import { startPostgres } from "@queuert/test-services/postgres";
import { startRedis } from "@queuert/test-services/redis";
import { openBare } from "./bare.ts";
import { openClient } from "./client.ts";
import { openFloor, prepareFloor } from "./floor.ts";
import { openBullmq, openRaw, prepareRaw, type Starter } from "./others.ts";
import type { Addresses, TransportName } from "./transports.ts";
import type { Report, WorkerPlan } from "./worker-plan.ts";
import { startWorkers } from "./workers.ts";

const transports: readonly TransportName[] = ["redis", "nats", "redis, no hints", "postgres"];
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

const services = await Promise.all([
  startPostgres({ exclusive: true, durability: "default" }),
  startRedis({ exclusive: true }),
  startNats({ exclusive: true }),
]);
const [postgres, redis, nats] = services;

/** A database of its own for each measurement. */
const freshAddresses = async (): Promise<Addresses> => ({
  postgresUrl: (await postgres.createDatabase()).url,
  redisUrl: redis.url,
  natsUrl: nats.url,
  prefix: redis.namespace(),
});

interface Rhythm {
  readonly count: number;
  readonly everyMs: number;
}

/** Starts at its times, whether the starts before have answered or not. */
const startAll = async ({ start }: Starter, { count, everyMs }: Rhythm): Promise<void> => {
  const begunAt = performance.now();
  const started: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    await sleep(Math.max(0, begunAt + index * everyMs - performance.now()));
    started.push(start());
  }
  await Promise.all(started);
  await sleep(500);
};

const openStarter = async (plan: WorkerPlan): Promise<Starter> => {
  if (plan.kind === "bullmq") return openBullmq(plan.addresses);
  if (plan.kind === "bare") return openBare(plan.addresses);
  if (plan.kind === "floor") {
    await prepareFloor(plan.addresses);
    return openFloor(plan);
  }
  if (plan.kind === "raw") {
    await prepareRaw(plan.addresses);
    return openRaw(plan.addresses);
  }
  const client = await openClient(plan.addresses, plan.transport, 4);
  await client.migrate();
  return client;
};

interface Opened {
  readonly starter: Starter;
  /** The result of one rhythm of starts. */
  readonly run: (rhythm: Rhythm) => Promise<Report>;
  readonly close: () => Promise<void>;
}

const open = async (plan: Omit<WorkerPlan, "addresses">, processCount: number): Promise<Opened> => {
  const full = { ...plan, addresses: await freshAddresses() };
  const starter = await openStarter(full);
  const workers = await startWorkers(processCount, full);
  // Connections, statements and the compiler have warmed up when it counts, as they have in a process that serves.
  await startAll(starter, { count: 1_000, everyMs: 4 });
  let before = await workers.report();
  return {
    starter,
    run: async (rhythm) => {
      await startAll(starter, rhythm);
      const after = await workers.report();
      const acquisitions = after.acquisitions - before.acquisitions;
      before = after;
      if (after.latencies.length !== rhythm.count) {
        throw new Error(`${after.latencies.length} of ${rhythm.count} jobs have run`);
      }
      return { latencies: after.latencies, acquisitions };
    },
    close: async () => {
      await workers.stop();
      await starter.close();
    },
  };
};

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** In turns, so that other load of the machine affects all of them alike. */
const roundCount = 5;

const printLatencies = async (title: string, rhythm: Rhythm): Promise<void> => {
  const plans: readonly (readonly [string, Pick<WorkerPlan, "kind" | "transport">])[] = [
    ["floor", { kind: "floor", transport: "redis" }],
    ["floor over NATS", { kind: "floor", transport: "nats" }],
    ["three columns", { kind: "raw", transport: "redis" }],
    ["floor of the store", { kind: "bare", transport: "redis" }],
    ...transports.map((transport) => [transport, { kind: "queuert", transport }] as const),
    ["BullMQ", { kind: "bullmq", transport: "redis" }],
  ];
  const measured: { name: string; opened: Opened; latencies: number[] }[] = [];
  for (const [name, plan] of plans) {
    const opened = await open({ ...plan, workerCount: 1, concurrency: 10 }, 1);
    measured.push({ name, opened, latencies: [] });
  }
  for (let round = 0; round < roundCount; round += 1) {
    for (const { opened, latencies } of measured) {
      latencies.push(...(await opened.run(rhythm)).latencies);
    }
  }
  console.log(`\n${title}: from start to process function, ms\n`);
  console.log("| | p50 | p90 | p99 | max | p50 to floor |\n|---|---:|---:|---:|---:|---:|");
  const floorOf = (ofNats: boolean): number =>
    percentile(measured[ofNats ? 1 : 0]?.latencies ?? [], 0.5);
  for (const { name, opened, latencies } of measured) {
    const cells = [0.5, 0.9, 0.99, 1].map((share) => percentile(latencies, share).toFixed(2));
    // Each beside the floor of its own transport.
    const ratio = (percentile(latencies, 0.5) / floorOf(/nats/i.test(name))).toFixed(2);
    console.log(`| ${name} | ${cells.join(" | ")} | ${ratio} |`);
    await opened.close();
  }
};

const printAcquisitions = async (): Promise<void> => {
  console.log("\nFifty idle workers in five processes, 1,000 single starts\n");
  console.log("| | concurrency | acquisitions per job | p50 ms | p99 ms |");
  console.log("|---|---:|---:|---:|---:|");
  for (const concurrency of [10, 1]) {
    for (const transport of transports) {
      const opened = await open({ kind: "queuert", transport, workerCount: 10, concurrency }, 5);
      const { latencies, acquisitions } = await opened.run({ count: 1_000, everyMs: 8 });
      await opened.close();
      const times = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(2));
      const cells = [concurrency, (acquisitions / 1_000).toFixed(2), ...times];
      console.log(`| ${transport} | ${cells.join(" | ")} |`);
    }
  }
};

try {
  if (isWanted("latency")) await printLatencies("Idle", { count: 80, everyMs: 20 });
  if (isWanted("rate")) await printLatencies("200 jobs/s", { count: 200, everyMs: 5 });
  if (isWanted("acquisitions")) await printAcquisitions();
} finally {
  await Promise.all(services.map((service) => service.close()));
}
