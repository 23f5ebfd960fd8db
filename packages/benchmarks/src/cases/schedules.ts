// Many schedules: how late the ticks are, and the statements of an idle worker beside them.
import { setTimeout as sleep } from "node:timers/promises";
import type { MeasuredProcess } from "../run/measured-process.ts";
import { countServer } from "../run/server-counters.ts";
import type { Round, RoundResult } from "./case.ts";
import { percentile } from "./latency.ts";

const calmMs = 3_000;
const dayMs = 86_400_000;
// Of those that tick while it is measured: 100 ticks a second.
const ticking = { count: 1_000, everyMs: 10_000 };

/** Statements a minute of one idle worker, as the server counts them; where there is none, as the driver does. */
const idleStatements = async (round: Round, worker: MeasuredProcess): Promise<number> => {
  const counter = await countServer(round.participant, round.target);
  const isServerCounted = (await counter.read()).statements !== undefined;
  const read = async (): Promise<number> =>
    isServerCounted ? ((await counter.read()).statements ?? 0) : worker.ask("statementCount", {});
  await work(round, worker);
  await sleep(calmMs);
  const before = await read();
  await sleep(round.sizes.idleSeconds * 1_000);
  const count = (await read()) - before;
  await worker.ask("stopWork", {});
  await counter.close();
  return (count * 60) / round.sizes.idleSeconds;
};

const work = ({ concurrency }: Round, worker: MeasuredProcess): Promise<void> =>
  worker.ask("work", { workload: "value", concurrency, workerCount: 1 });

/** From the instant of a tick to the handler of its job. The jobs of the ticks in a second are due at 100 instants. */
export const measureSchedules = async (round: Round): Promise<RoundResult> => {
  const { sizes } = round;
  const worker = await round.openProcess();
  await worker.ask("countStatements", {});
  const without = await idleStatements(round, worker);
  const far = { name: "far", count: sizes.schedules, everyMs: 30 * dayMs, afterMs: dayMs };
  await worker.ask("storeSchedules", far);
  await (await round.inspect()).settle();
  const idle = await idleStatements(round, worker);
  await worker.ask("storeSchedules", { name: "ticking", ...ticking, afterMs: calmMs });
  await work(round, worker);
  await sleep(calmMs);
  await worker.ask("takeRuns", {});
  await sleep(sizes.steadySeconds * 2_000);
  const { latencies } = await worker.ask("takeRuns", {});
  await worker.ask("stopWork", {});
  if (latencies.length === 0) throw new Error("no tick has run");
  return {
    measured: {
      "ms p50": percentile(latencies, 0.5),
      "ms p99": percentile(latencies, 0.99),
      "ms max": Math.max(...latencies),
      "queries/min": idle,
      "queries/min without": without,
    },
  };
};
