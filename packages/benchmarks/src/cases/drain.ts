// Jobs are there; workers begin; the clock stops when the store says that all are done.
import { type Inspector, jobsPerUnit, nowMs, type Workload } from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";
import { countServer, type ServerCounters } from "../run/server-counters.ts";
import type { Measured, Round, RoundResult } from "./case.ts";
import { waitUntilDrained } from "./drained.ts";

const unitsAtOnce = 1_000;

export interface DrainOptions {
  readonly workload: Workload;
  readonly jobCount: number;
  readonly limitMs: number;
  /** The most units that one call starts. */
  readonly atOnce?: number;
  /** Jobs that are still to be created count nowhere: only a workload that has come to its end can be counted. */
  readonly mustFinish?: boolean;
  /**
   * Runs when everything is ready, before the clock starts. The function that it returns runs at
   * the end.
   */
  readonly beside?: () => Promise<() => Promise<unknown>>;
}

interface Drain {
  readonly round: Round;
  readonly atOnce: number;
  readonly processes: readonly MeasuredProcess[];
  readonly inspector: Inspector;
  readonly workload: Workload;
}

const start = async ({ processes, workload, atOnce }: Drain, unitCount: number): Promise<void> => {
  await processes[0]?.ask("startMany", { workload, unitCount, atOnce });
};

/** Works until all is done or the time is up; answers the ms it took and the jobs that the store says were done. */
const work = async (
  { round, processes, inspector, workload }: Drain,
  jobCount: number,
  limitMs: number,
): Promise<{ readonly ms: number; readonly doneCount: number }> => {
  const { concurrency } = round;
  const ranBefore = processes.reduce((sum, process) => sum + process.ran(), 0);
  const begunAt = nowMs();
  await Promise.all(
    processes.map((process) => process.ask("work", { workload, concurrency, workerCount: 1 })),
  );
  const runCount = ranBefore + jobCount;
  const endedAt = await waitUntilDrained({
    ...{ inspector, processes, runCount, limitMs },
    mustRunAll: workload === "failing",
  });
  // Remaining jobs are counted before the workers are stopped.
  const doneCount = jobCount - (await inspector.unfinishedCount());
  await Promise.all(processes.map((process) => process.ask("stopWork", {})));
  return { ms: endedAt - begunAt, doneCount };
};

const openAll = async (round: Round): Promise<readonly MeasuredProcess[]> => {
  const processes = [await round.openProcess()];
  while (processes.length < round.processCount) processes.push(await round.openProcess());
  return processes;
};

export const measureDrain = async (round: Round, options: DrainOptions): Promise<RoundResult> => {
  const { workload, limitMs } = options;
  const perUnit = jobsPerUnit[workload];
  const unitCount = Math.ceil(options.jobCount / perUnit);
  const warmUpUnits = Math.ceil(round.sizes.warmUpJobs / perUnit);
  const processes = await openAll(round);
  const inspector = await round.inspect();
  const most = workload === "fan-in" ? unitsAtOnce / 10 : unitsAtOnce;
  const atOnce = Math.min(options.atOnce ?? most, most);
  const drain: Drain = { round, atOnce, processes, inspector, workload };

  await start(drain, warmUpUnits);
  await work(drain, warmUpUnits * perUnit, limitMs);
  const leftOver = await inspector.unfinishedCount();
  if (leftOver > 0 && limitMs > 0) {
    // Too slow even for the warm-up: it does the remaining jobs now.
    await work(drain, leftOver, limitMs);
  }
  const writtenBefore = await inspector.writtenCount();
  await start(drain, unitCount);
  await inspector.settle();
  const endBeside = await options.beside?.();

  const counter = await countServer(round.participant, round.target);
  for (const process of processes) await process.ask("resetMetrics", {});
  const before = await counter.read();
  const { ms, doneCount } = await work(drain, unitCount * perUnit, limitMs);
  const after = await counter.read();
  const metrics = await Promise.all(processes.map((process) => process.ask("metrics", {})));
  await counter.close();
  await endBeside?.();
  if (options.mustFinish === true && doneCount < unitCount * perUnit)
    throw new Error(`not finished after ${limitMs} ms`);
  if (doneCount <= 0) throw new Error(`No job of ${unitCount * perUnit} was done in ${ms} ms`);
  await assertWritten(drain, writtenBefore, doneCount);
  return {
    measured: { "jobs/s": (doneCount * 1_000) / ms },
    breakdown: {
      ...perJob(before, after, doneCount),
      "process CPU ms/job": metrics.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / doneCount,
      "event-loop lag mean ms": Math.max(...metrics.map(({ lagMeanMs }) => lagMeanMs)),
      "event-loop lag max ms": Math.max(...metrics.map(({ lagMaxMs }) => lagMaxMs)),
      "share done": doneCount / (unitCount * perUnit),
    },
  };
};

/** Each `callback` job has written its row: fewer would be work that was left out, many more jobs done twice. */
const assertWritten = async (
  { inspector, workload, round }: Drain,
  before: number | undefined,
  doneCount: number,
): Promise<void> => {
  const after = await inspector.writtenCount();
  if (workload !== "callback" || before === undefined || after === undefined) return;
  const written = after - before;
  // Jobs that were running when the time was up finish while the workers stop.
  const most = doneCount + 2 * round.concurrency * round.processCount;
  if (written < doneCount || written > most) {
    throw new Error(`${doneCount} jobs were done, but ${written} rows written`);
  }
};

const perJob = (before: ServerCounters, after: ServerCounters, jobCount: number): Measured => {
  const names = [
    ["statements", "statements/job"],
    ["walBytes", "WAL bytes/job"],
    ["cpuMs", "database CPU ms/job"],
  ] as const;
  return Object.fromEntries(
    names.flatMap(([key, name]) => {
      const [from, to] = [before[key], after[key]];
      return from === undefined || to === undefined ? [] : [[name, (to - from) / jobCount]];
    }),
  );
};
