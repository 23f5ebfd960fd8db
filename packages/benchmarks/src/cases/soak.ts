// A steady stream of starts for minutes, while another transaction holds a snapshot open: no dead row can be cleaned away.
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../participants/participant.ts";
import type { Round, RoundResult } from "./case.ts";
import { holdTransaction } from "./held-transaction.ts";
import { openStarter, percentile, runRhythm, type StarterAndWorker } from "./latency.ts";
import { storeSize } from "./store-size.ts";

const perSecond = 5_000;
/** Of the time, at the beginning and at the end: 30 s of three minutes. */
const share = 1 / 6;
const patienceMs = 30_000;

interface Look {
  readonly at: number;
  readonly latencies: readonly number[];
}

/** How many jobs have run in a second, between two moments. */
const rateOf = (looks: readonly Look[], from: number, until: number): number => {
  const within = looks.filter(({ at }) => at > from && at <= until);
  const begunAt = looks.findLast(({ at }) => at <= from)?.at ?? from;
  const endedAt = within.at(-1)?.at ?? until;
  const count = within.reduce((sum, { latencies }) => sum + latencies.length, 0);
  return (count * 1_000) / (endedAt - begunAt);
};

interface Soaked {
  readonly looks: readonly Look[];
  readonly begunAt: number;
  readonly started: number;
}

/** Starts at its pace, and takes the runs until all have run, or patience ends. */
const soak = async (
  { worker, starter }: StarterAndWorker,
  soakSeconds: number,
): Promise<Soaked> => {
  const limitMs = soakSeconds * 1_000;
  const rhythm = { count: soakSeconds * perSecond, everyMs: 1_000 / perSecond, limitMs };
  const begunAt = nowMs();
  const state: { started?: number } = {};
  const starting = starter.ask("startPaced", rhythm).then((count) => (state.started = count));
  const looks: Look[] = [];
  let ran = 0;
  // Those that wait at the end still run, and their wait counts.
  for (;;) {
    await Promise.race([sleep(soakSeconds * 5), starting.then(() => sleep(20))]);
    const { latencies } = await worker.ask("takeRuns", {});
    ran += latencies.length;
    looks.push({ at: nowMs(), latencies });
    const { started } = state;
    if (started !== undefined && ran === started) return { looks, begunAt, started };
    if (nowMs() - begunAt > limitMs + patienceMs)
      throw new Error(`${started} jobs were started, ${ran} have run`);
  }
};

export const measureSoak = async (round: Round): Promise<RoundResult> => {
  const { participant, target, sizes, concurrency } = round;
  const { store } = participant;
  const processes = await openStarter(round);
  const { worker, starter } = processes;
  await worker.ask("work", { workload: "value", concurrency, workerCount: 1 });
  const warmUp = { count: sizes.latencyWarmUps, everyMs: 10, limitMs: sizes.limitMs };
  await runRhythm(starter, worker, warmUp);
  const release = await holdTransaction(store, target);
  try {
    const before = await storeSize(store, target);
    const { looks, begunAt, started } = await soak(processes, sizes.soakSeconds);
    const after = await storeSize(store, target);
    await worker.ask("stopWork", {});
    const endedAt = begunAt + sizes.soakSeconds * 1_000;
    const partMs = sizes.soakSeconds * 1_000 * share;
    const p99Since = (from: number): number =>
      percentile(
        looks.filter(({ at }) => at > from).flatMap(({ latencies }) => latencies),
        0.99,
      );
    return {
      measured: {
        "jobs/s last sixth": rateOf(looks, endedAt - partMs, endedAt),
        "jobs/s first sixth": rateOf(looks, begunAt, begunAt + partMs),
        "ms p99": p99Since(begunAt),
        "ms p99 last sixth": p99Since(endedAt - partMs),
      },
      breakdown: {
        "stored bytes/job": (after.bytes - before.bytes) / started,
        ...(after.deadRows !== undefined && { "dead rows/job": after.deadRows / started }),
      },
    };
  } finally {
    await release();
  }
};
