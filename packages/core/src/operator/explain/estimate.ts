// When a job that waits for its turn, or for its key, is likely to run. The attempts of the last minutes tell.
import type { JobsAhead } from "../../adapters/operator-reads.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Reason } from "../../public-types/explanation.ts";
import { donePerMinute, type MetricValues, readMetrics } from "../views/metrics.ts";
import { recentMs } from "../views/overview.ts";
import type { Evidence } from "./evidence.ts";

/** The reasons of a job, and the due jobs that come before it. */
export interface Found {
  readonly reasons: readonly Reason[];
  readonly ahead?: JobsAhead | undefined;
}

/** Only for a job that waits for its turn, or for its key. Anything else that holds it up has no rate. */
export const estimate = async (
  state: AnyStateAdapter,
  job: StateJob,
  { reasons: [deciding, ...others], ahead }: Found,
  { now }: Evidence,
): Promise<Date | null> => {
  if (deciding?.kind === "scheduled") return others.length === 0 ? deciding.at : null;
  if (deciding?.kind === "batch_not_ripe") return deciding.ripeAt;
  if (deciding?.kind === "key_limit_reached" && deciding.tokensInMs !== null) {
    return new Date(now.getTime() + deciding.tokensInMs);
  }
  const ends = endsBefore(deciding, ahead);
  if (ends !== null) {
    const runMs = (await recentOf(state, job, now))?.runMs?.mean;
    return runMs === undefined ? null : new Date(now.getTime() + Math.round(ends * runMs));
  }
  const waitsForTurn = deciding?.kind === "behind" || deciding?.kind === "workers_full";
  const behind = [deciding, ...others].find((reason) => reason?.kind === "behind");
  if (!waitsForTurn || behind?.kind !== "behind" || behind.isAtLeast) return null;
  const recent = await recentOf(state, job, now);
  const perMinute = recent === undefined ? 0 : donePerMinute(recent, recentMs);
  return perMinute === 0
    ? null
    : new Date(now.getTime() + Math.round((behind.ahead / perMinute) * 60_000));
};

/** The attempts of the type in the last minutes. */
const recentOf = async (
  state: AnyStateAdapter,
  { typeName }: StateJob,
  now: Date,
): Promise<MetricValues | undefined> => {
  const from = new Date(now.getTime() - recentMs);
  const [recent] = await readMetrics(state, from, now, [typeName]);
  return recent?.total;
};

/** Of a job whose key is full: for how many durations of an attempt it waits. Null: it waits for something else. */
const endsBefore = (deciding: Reason | undefined, ahead: JobsAhead | undefined): number | null => {
  if (deciding?.kind !== "key_limit_reached" || ahead?.isAtLeast === true) return null;
  const { bound, concurrency, running } = deciding;
  if (bound !== "concurrency" || concurrency === null || concurrency === 0) return null;
  return (running + (ahead?.ahead ?? 0) - concurrency + 1) / concurrency;
};
