// From the call that starts a job to its handler. If the store is a server, one process starts and
// another works, as in most applications. The machine's monotonic clock is the same in both.
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";
import type { Round, RoundResult } from "./case.ts";

export interface Rhythm {
  readonly count: number;
  readonly everyMs: number;
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

const patienceMs = 10_000;

/** Latencies of all that was started within the time, waited for to the last. */
export const runRhythm = async (
  starter: MeasuredProcess,
  worker: MeasuredProcess,
  rhythm: Rhythm & { readonly limitMs: number },
): Promise<readonly number[]> => {
  const started = await starter.ask("startPaced", rhythm);
  const latencies: number[] = [];
  const deadline = nowMs() + patienceMs;
  while (latencies.length < started && nowMs() < deadline) {
    latencies.push(...(await worker.ask("takeRuns", {})).latencies);
    if (latencies.length < started) await sleep(20);
  }
  if (latencies.length !== started)
    throw new Error(`${started} jobs were started, ${latencies.length} have run`);
  return latencies;
};

/** The process that works, and the one that starts, which is the same where no other could. */
export interface StarterAndWorker {
  readonly worker: MeasuredProcess;
  readonly starter: MeasuredProcess;
}

export const openStarter = async ({
  participant,
  openProcess,
}: Round): Promise<StarterAndWorker> => {
  const worker = await openProcess();
  const isOneProcess = participant.isPrivate === true || participant.sameProcessOnly === true;
  return { worker, starter: isOneProcess ? worker : await openProcess() };
};

export const measureLatency = async (round: Round, rhythm: Rhythm): Promise<RoundResult> => {
  const { sizes } = round;
  const { worker, starter } = await openStarter(round);
  await worker.ask("work", { workload: "value", concurrency: 10, workerCount: 1 });
  const warmUp = { count: sizes.latencyWarmUps, everyMs: 10 };
  await runRhythm(starter, worker, { ...warmUp, limitMs: sizes.limitMs });
  const latencies = await runRhythm(starter, worker, { ...rhythm, limitMs: sizes.limitMs });
  await worker.ask("stopWork", {});
  return {
    measured: { "ms p50": percentile(latencies, 0.5), "ms p99": percentile(latencies, 0.99) },
  };
};
