// The state of the store on one page: first the types that need attention, then numbers. No finished job is counted.
import type { StateSummary } from "../../adapters/state-adapter-queries.ts";
import type { StatePause } from "../../adapters/state-adapter-params.ts";
import { type Evidence, liveWorkersOf, presenceOf } from "../explain/evidence.ts";
import { type Attention, toAttention } from "./attention.ts";
import type { LimitView } from "./limit-view.ts";
import { type LibraryVersion, libraryVersionsOf } from "./worker-view.ts";
import { donePerMinute, type MetricValues, type TypeMetrics } from "./metrics.ts";

/** The state of the store in one answer. */
export interface Overview {
  /** The store's clock. */
  readonly at: Date;
  readonly attention: readonly Attention[];
  readonly totals: Totals;
  readonly types: readonly TypeOverview[];
  /** The pauses that have not ended. */
  readonly pauses: readonly StatePause[];
  /** The limits of job types, with their use. */
  readonly limits: readonly LimitView[];
  /** Null: the store keeps no registry. */
  readonly workers: {
    readonly online: number;
    readonly late: number;
    readonly gone: number;
    /** Of the live ones. Several: a deployment is under way, or was not finished. */
    readonly libraryVersions: readonly LibraryVersion[];
  } | null;
}

/** Completed jobs are never counted. `pending` contains scheduled jobs, and `due` only those whose time has come. */
export interface Totals {
  readonly pending: number;
  readonly due: number;
  readonly blocked: number;
  readonly running: number;
  readonly failed: number;
  /** For how long the oldest due job has been due; null: no job is due. */
  readonly oldestDueMs: number | null;
}

/** The counts of one job type. */
export interface TypeOverview extends Totals {
  readonly typeName: string;
  /** Workers online that implement it; null: not known. */
  readonly workers: number | null;
  /** The attempts of the last 10 minutes. Null: none ended, or the store keeps no metrics. */
  readonly recent: RecentAttempts | null;
}

/** The attempts that ended in the last minutes. */
export interface RecentAttempts extends MetricValues {
  /** Attempts that ended their job, each minute. */
  readonly donePerMinute: number;
}

/** The attempts of this time are recent. */
export const recentMs: number = 10 * 60_000;

export const toOverview = (
  summary: StateSummary,
  evidence: Evidence,
  metrics: readonly TypeMetrics[],
  limits: readonly LimitView[],
): Overview => {
  const recent = new Map(metrics.map(({ typeName, total }) => [typeName, total]));
  const types = toTypes(summary, evidence, recent);
  const total = (of: (type: TypeOverview) => number): number =>
    types.reduce((sum, type) => sum + of(type), 0);
  const oldest = types.map(({ oldestDueMs }) => oldestDueMs ?? -1);
  return {
    at: evidence.now,
    attention: toAttention(types, summary, evidence),
    totals: {
      pending: total(({ pending }) => pending),
      due: total(({ due }) => due),
      blocked: total(({ blocked }) => blocked),
      running: total(({ running }) => running),
      failed: total(({ failed }) => failed),
      oldestDueMs: Math.max(-1, ...oldest) < 0 ? null : Math.max(...oldest),
    },
    types,
    pauses: evidence.pauses,
    limits,
    workers: countWorkers(evidence),
  };
};

const toRecent = (values: MetricValues | undefined): RecentAttempts | null =>
  values === undefined
    ? null
    : { ...values, donePerMinute: Math.round(donePerMinute(values, recentMs) * 10) / 10 };

const toTypes = (
  summary: StateSummary,
  evidence: Evidence,
  recent: ReadonlyMap<string, MetricValues>,
): readonly TypeOverview[] => {
  const counts = new Map<string, Map<string, number>>();
  for (const { typeName, status, count } of summary.counts) {
    const ofType = counts.get(typeName) ?? new Map<string, number>();
    counts.set(typeName, ofType.set(status, count));
  }
  for (const { types } of evidence.workers ?? []) {
    for (const { typeName } of types) if (!counts.has(typeName)) counts.set(typeName, new Map());
  }
  for (const typeName of recent.keys()) {
    if (!counts.has(typeName)) counts.set(typeName, new Map());
  }
  const ready = new Map(summary.oldestReady.map((one) => [one.typeName, one]));
  return [...counts]
    .map(([typeName, ofType]) => ({
      typeName,
      pending: ofType.get("pending") ?? 0,
      due: ready.get(typeName)?.dueCount ?? 0,
      blocked: ofType.get("blocked") ?? 0,
      running: ofType.get("running") ?? 0,
      failed: ofType.get("failed") ?? 0,
      oldestDueMs: ready.get(typeName)?.ageMs ?? null,
      workers: liveWorkersOf(typeName, evidence)?.length ?? null,
      recent: toRecent(recent.get(typeName)),
    }))
    .sort((left, right) => (left.typeName < right.typeName ? -1 : 1));
};

const countWorkers = (evidence: Evidence): Overview["workers"] => {
  const { workers, now } = evidence;
  if (workers === null) return null;
  const counts = { online: 0, late: 0, gone: 0 };
  for (const worker of workers) if (worker.state !== "stopped") counts[presenceOf(worker, now)]++;
  return { ...counts, libraryVersions: libraryVersionsOf(evidence) };
};
