// One worker implements thousands of types, and one of them has a job.
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";
import type { Round, RoundResult } from "./case.ts";
import { openStarter, percentile } from "./latency.ts";

const idleTypeCount = 4_999;
const patienceMs = 30_000;
// Longer than an acquisition takes: each job is the only one.
const everyMs = 100;

const takeOne = async (worker: MeasuredProcess): Promise<number> => {
  const deadline = nowMs() + patienceMs;
  while (nowMs() < deadline) {
    const [latency] = (await worker.ask("takeRuns", {})).latencies;
    if (latency !== undefined) return latency;
    await sleep(2);
  }
  throw new Error(`the only job has not run after ${patienceMs} ms`);
};

/** From a start to its handler. Of the first job, which is due before there is a worker, the start of the worker counts as well. */
export const measureManyTypes = async (round: Round): Promise<RoundResult> => {
  const { worker, starter } = await openStarter(round);
  const startOne = { count: 1, everyMs: 1, limitMs: patienceMs };
  await starter.ask("startPaced", startOne);
  const { concurrency, sizes } = round;
  await worker.ask("work", { workload: "value", concurrency, workerCount: 1, idleTypeCount });
  const first = await takeOne(worker);
  const latencies: number[] = [];
  while (latencies.length < sizes.latencyStarts) {
    await sleep(everyMs);
    await starter.ask("startPaced", startOne);
    latencies.push(await takeOne(worker));
  }
  await worker.ask("stopWork", {});
  return {
    measured: {
      "ms p50": percentile(latencies, 0.5),
      "ms p99": percentile(latencies, 0.99),
      "ms with the worker's start": first,
    },
  };
};
