// A drain under limits, after the same drain without them: the ratio is of one process on one store, in one round.
import { setTimeout as sleep } from "node:timers/promises";
import { type LimitedWorkload, nowMs } from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";
import type { Round, RoundResult } from "./case.ts";
import { measureDrain } from "./drain.ts";

export const measureLimited = async (
  round: Round,
  workload: LimitedWorkload,
): Promise<RoundResult> => {
  const { drainJobs: jobCount, limitMs } = round.sizes;
  const free = await measureDrain(round, { workload: "value", jobCount, limitMs });
  const { measured, breakdown } = await measureDrain(round, { workload, jobCount, limitMs });
  const rate = measured["jobs/s"] ?? Number.NaN;
  const ratio = rate / (free.measured["jobs/s"] ?? Number.NaN);
  return { measured: { "jobs/s": rate, "of no limit": ratio }, ...(breakdown && { breakdown }) };
};

const pollMs = 2;
const patienceMs = 120_000;

/** The ms until the handlers of all of them have run. */
const runAll = async (
  { concurrency }: Round,
  worker: MeasuredProcess,
  jobCount: number,
): Promise<number> => {
  const ranBefore = worker.ran();
  const begunAt = nowMs();
  await worker.ask("work", { workload: "keys", concurrency, workerCount: 1 });
  while (worker.ran() < ranBefore + jobCount) {
    if (nowMs() - begunAt > patienceMs) throw new Error(`not finished after ${patienceMs} ms`);
    await sleep(pollMs);
  }
  const ms = nowMs() - begunAt;
  await worker.ask("stopWork", {});
  return ms;
};

/**
 * A drain of 10,000 keys behind the jobs of another key, which is at its bound, after the same drain alone. The jobs in front
 * never end, so the handlers of the others say when all have run.
 */
export const measureNoisyKey = async (round: Round): Promise<RoundResult> => {
  const { drainJobs, warmUpJobs, noisyJobs } = round.sizes;
  const worker = await round.openProcess();
  const inspector = await round.inspect();
  const start = (workload: LimitedWorkload, unitCount: number) =>
    worker.ask("startMany", { workload, unitCount, atOnce: 1_000 });
  await start("keys", warmUpJobs);
  await runAll(round, worker, warmUpJobs);
  await start("keys", drainJobs);
  await inspector.settle();
  const aloneMs = await runAll(round, worker, drainJobs);
  await start("noisy-key", noisyJobs);
  await start("keys", drainJobs);
  await inspector.settle();
  const ms = await runAll(round, worker, drainJobs);
  return { measured: { "jobs/s": (drainJobs * 1_000) / ms, "of no noisy key": aloneMs / ms } };
};
