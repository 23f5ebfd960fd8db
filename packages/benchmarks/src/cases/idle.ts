// The cost of a worker without jobs.
import { setTimeout as sleep } from "node:timers/promises";
import { countServer } from "../run/server-counters.ts";
import type { Round, RoundResult } from "./case.ts";
import { waitUntilDrained } from "./drained.ts";

const workerCount = 10;
// Connections are made, listeners set up and the first looks taken before it counts.
const calmMs = 3_000;

/** Statements of ten idle workers in one process, as the server counts them; where there is none, as the driver does. */
export const measureIdleQueries = async (round: Round): Promise<RoundResult> => {
  const process = await round.openProcess();
  await process.ask("countStatements", {});
  await process.ask("work", { workload: "value", concurrency: 1, workerCount });
  await sleep(calmMs);
  const counter = await countServer(round.participant, round.target);
  const isServerCounted = (await counter.read()).statements !== undefined;
  const read = async (): Promise<number> =>
    isServerCounted ? ((await counter.read()).statements ?? 0) : process.ask("statementCount", {});
  const before = await read();
  await sleep(round.sizes.idleSeconds * 1_000);
  const count = (await read()) - before;
  await counter.close();
  await process.ask("stopWork", {});
  return { measured: { "queries/min": (count * 60) / round.sizes.idleSeconds } };
};

/** Resident memory of one process with a worker: before any job, and the highest while it drains so many. */
export const measureMemory = async (
  round: Round,
  jobCount: number,
  limitMs: number,
): Promise<RoundResult> => {
  const process = await round.openProcess();
  const { workload, concurrency } = { workload: "value" as const, concurrency: round.concurrency };
  await process.ask("work", { workload, concurrency, workerCount: 1 });
  await sleep(1_000);
  const { rssMb } = await process.ask("metrics", {});
  await process.ask("stopWork", {});
  // By another process: the memory of bulk starts is not that of a worker.
  const { isPrivate, sameProcessOnly } = round.participant;
  const isOneProcess = isPrivate === true || sameProcessOnly === true;
  const starter = isOneProcess ? process : await round.openProcess();
  await starter.ask("startMany", { workload, unitCount: jobCount, atOnce: 1_000 });
  await process.ask("work", { workload, concurrency, workerCount: 1 });
  const inspector = await round.inspect();
  await waitUntilDrained({ inspector, processes: [process], runCount: jobCount, limitMs });
  const { peakRssMb } = await process.ask("metrics", {});
  await process.ask("stopWork", {});
  return { measured: { "MB idle": rssMb, "MB peak": peakRssMb } };
};
