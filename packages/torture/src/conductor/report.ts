// Tables: of one run, and of many whose summaries were kept.
import { recoveriesOf } from "../checker/check-recovery.ts";
import { entriesOf, type Fault, type History, type Violation } from "../checker/history.ts";
import type { RunOptions, RunResult } from "./run.ts";

const losing: ReadonlySet<string> = new Set([
  "a committed start exists",
  "a committed start reaches an outcome",
  "a completion without a worker stands",
  "all is quiet in time",
  "no job waits for a completed sequence",
  "no tick is lost",
]);
const doubling: ReadonlySet<string> = new Set([
  "a job is created once",
  "a sequence is one chain",
  "a user row for each outcome, and none besides",
  "no row without a job",
  "one sequence for a key",
  "each attempt has a token of its own",
  "one sequence for an instant of a schedule",
]);

const countOf = (violations: readonly Violation[], rules: ReadonlySet<string>): number =>
  violations.filter(({ rule }) => rules.has(rule)).length;

interface FaultSummary {
  readonly times: number;
  readonly worstMs: number | null;
}

/** The columns of a run in the tables. */
export interface RunSummary {
  readonly store: string;
  readonly notify: string;
  /** Lines of older runs have none. */
  readonly setup?: string;
  readonly seed: number;
  readonly minutes: number;
  readonly jobs: number;
  readonly attempts: number;
  /** Of schedules. Lines of older runs have none. */
  readonly ticks?: number;
  readonly lost: number;
  readonly doubled: number;
  readonly violations: number;
  readonly quietAfterMs: number;
  readonly faults: Readonly<Record<string, FaultSummary>>;
}

/**
 * For a vanished process: until a worker has reclaimed its jobs. For other faults: until the next
 * attempt began.
 */
const worstRecoveries = (history: History): ReadonlyMap<string, number> => {
  const worst = new Map<string, number>();
  const measured = (kind: string, ms: number): unknown =>
    worst.set(kind, Math.max(worst.get(kind) ?? 0, ms));
  for (const { fault, tookMs } of recoveriesOf(history)) measured(fault.kind, tookMs);
  const begun = entriesOf(history, "began");
  const ofAll = (fault: Fault): void => {
    const next = begun.find(({ at }) => at >= fault.until);
    if (next !== undefined) measured(fault.kind, next.at - fault.until);
  };
  history.faults.filter(({ stopsAll }) => stopsAll).forEach(ofAll);
  return worst;
};

export const summarize = (
  { store, notify, setup = "plain", seed, loadMs }: RunOptions,
  { history, violations, quietAfterMs }: RunResult,
): RunSummary => {
  const worst = worstRecoveries(history);
  const kinds = [...new Set(history.faults.map(({ kind }) => kind))].sort();
  return {
    ...{ store, notify, setup, seed, minutes: loadMs / 60_000, quietAfterMs },
    jobs: history.jobs.length,
    attempts: entriesOf(history, "began").length,
    ticks: history.control.ticks.length,
    lost: countOf(violations, losing),
    doubled: countOf(violations, doubling),
    violations: violations.length,
    faults: Object.fromEntries(
      kinds.map((kind) => {
        const times = history.faults.filter((fault) => fault.kind === kind).length;
        return [kind, { times, worstMs: worst.get(kind) ?? null }];
      }),
    ),
  };
};

const seconds = (ms: number | null): string =>
  ms === null ? "–" : Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : "never";

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

const faultLine = (kind: string, all: readonly RunSummary[]): string => {
  const runs = all.filter(({ faults }) => kind in faults);
  const own = runs.flatMap(({ faults }) => faults[kind] ?? []);
  const measured = own.flatMap(({ worstMs }) => (worstMs === null ? [] : [worstMs]));
  const worst = measured.length === 0 ? null : Math.max(...measured);
  const [jobs, lost, doubled] = (["jobs", "lost", "doubled"] as const).map((key) =>
    sum(runs.map((run) => run[key])),
  );
  const times = sum(own.map((one) => one.times));
  return `| ${kind} | ${times} | ${jobs} | ${lost} | ${doubled} | ${seconds(worst)} |`;
};

/** Lines of Markdown: by fault, then by run. */
export const toTables = (runs: readonly RunSummary[]): readonly string[] => {
  const kinds = [...new Set(runs.flatMap(({ faults }) => Object.keys(faults)))].sort();
  return [
    "| fault | times injected | jobs of those runs | lost | doubled | worst recovery |",
    "|---|---|---|---|---|---|",
    ...kinds.map((kind) => faultLine(kind, runs)),
    "",
    "| store | setup | notify | seed | minutes | jobs | attempts | ticks | faults | lost | doubled | violations | quiet after |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ...runs.map((run) => {
      const faults = sum(Object.values(run.faults).map(({ times }) => times));
      const begun = `${run.attempts} | ${run.ticks ?? "–"}`;
      const counts = `${run.jobs} | ${begun} | ${faults} | ${run.lost} | ${run.doubled}`;
      const last = `${run.violations} | ${seconds(run.quietAfterMs)}`;
      return `| ${run.store} | ${run.setup ?? "plain"} | ${run.notify} | ${run.seed} | ${run.minutes} | ${counts} | ${last} |`;
    }),
  ];
};
