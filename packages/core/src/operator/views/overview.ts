// The state of the store on one page: first the types that need attention, then numbers. No finished job is counted.
import type { StateSummary } from "../../adapters/state-adapter-queries.ts";
import { type Evidence, liveWorkersOf, presenceOf } from "../explain/evidence.ts";
import { countOf, duration } from "../explain/words.ts";

export interface Overview {
  /** The store's clock. */
  readonly at: Date;
  readonly attention: readonly Attention[];
  readonly totals: Totals;
  readonly types: readonly TypeOverview[];
  /** Null: the store keeps no registry. */
  readonly workers: {
    readonly online: number;
    readonly late: number;
    readonly gone: number;
  } | null;
}

export interface Attention {
  readonly kind: "no_worker" | "blocked_by_failed" | "expired_leases" | "overdue" | "running_long";
  readonly severity: "error" | "warning";
  readonly typeName: string | null;
  readonly count: number;
  /** One sentence. */
  readonly text: string;
  /** Finds the jobs. */
  readonly filter: string;
}

/** Completed jobs are never counted. `pending` contains scheduled jobs. */
export interface Totals {
  readonly pending: number;
  readonly blocked: number;
  readonly running: number;
  readonly failed: number;
  /** For how long the oldest due job has been due; null: no job is due. */
  readonly oldestDueMs: number | null;
}

export interface TypeOverview extends Totals {
  readonly typeName: string;
  /** Workers online that implement it; null: not known. */
  readonly workers: number | null;
}

/** A due job that is older than this needs attention. */
const overdueMs = 5 * 60_000;

export const toOverview = (summary: StateSummary, evidence: Evidence): Overview => {
  const types = toTypes(summary, evidence);
  const total = (of: (type: TypeOverview) => number): number =>
    types.reduce((sum, type) => sum + of(type), 0);
  const oldest = types.map(({ oldestDueMs }) => oldestDueMs ?? -1);
  return {
    at: evidence.now,
    attention: [...typeAttention(types), ...storeAttention(summary)],
    totals: {
      pending: total(({ pending }) => pending),
      blocked: total(({ blocked }) => blocked),
      running: total(({ running }) => running),
      failed: total(({ failed }) => failed),
      oldestDueMs: Math.max(-1, ...oldest) < 0 ? null : Math.max(...oldest),
    },
    types,
    workers: countWorkers(evidence),
  };
};

const toTypes = (summary: StateSummary, evidence: Evidence): readonly TypeOverview[] => {
  const counts = new Map<string, Map<string, number>>();
  for (const { typeName, status, count } of summary.counts) {
    const ofType = counts.get(typeName) ?? new Map<string, number>();
    counts.set(typeName, ofType.set(status, count));
  }
  for (const { types } of evidence.workers ?? []) {
    for (const { typeName } of types) if (!counts.has(typeName)) counts.set(typeName, new Map());
  }
  const oldest = new Map(summary.oldestReady.map(({ typeName, ageMs }) => [typeName, ageMs]));
  return [...counts]
    .map(([typeName, ofType]) => ({
      typeName,
      pending: ofType.get("pending") ?? 0,
      blocked: ofType.get("blocked") ?? 0,
      running: ofType.get("running") ?? 0,
      failed: ofType.get("failed") ?? 0,
      oldestDueMs: oldest.get(typeName) ?? null,
      workers: liveWorkersOf(typeName, evidence)?.length ?? null,
    }))
    .sort((left, right) => (left.typeName < right.typeName ? -1 : 1));
};

const quote = (text: string): string => `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;

const typeAttention = (types: readonly TypeOverview[]): readonly Attention[] =>
  types.flatMap((type): readonly Attention[] => {
    const { typeName, pending, workers, oldestDueMs } = type;
    if (oldestDueMs === null) return [];
    const filter = `is:due type:${quote(typeName)}`;
    if (workers === 0) {
      const text = `${typeName}: due jobs, and no live worker implements the type. ${countOf(pending, "job")} pending.`;
      return [{ kind: "no_worker", severity: "error", typeName, count: pending, text, filter }];
    }
    if (oldestDueMs <= overdueMs) return [];
    const text = `${typeName}: the oldest due job has waited for ${duration(oldestDueMs)}.`;
    return [{ kind: "overdue", severity: "warning", typeName, count: pending, text, filter }];
  });

const storeAttention = (summary: StateSummary): readonly Attention[] => {
  const found: Attention[] = [];
  const { blockedByFailedCount, expiredLeaseCount, runningLongCount } = summary;
  if (blockedByFailedCount > 0) {
    found.push({
      kind: "blocked_by_failed",
      severity: "error",
      typeName: null,
      count: blockedByFailedCount,
      text: `${countOf(blockedByFailedCount, "blocked job")} wait for sequences that failed.`,
      filter: "status:blocked",
    });
  }
  if (expiredLeaseCount > 0) {
    found.push({
      kind: "expired_leases",
      severity: "warning",
      typeName: null,
      count: expiredLeaseCount,
      text: `${countOf(expiredLeaseCount, "lease")} expired and were not reclaimed.`,
      filter: "is:stalled",
    });
  }
  if (runningLongCount > 0) {
    found.push({
      kind: "running_long",
      severity: "warning",
      typeName: null,
      count: runningLongCount,
      text: `${countOf(runningLongCount, "job")} have been running for more than an hour.`,
      filter: "status:running",
    });
  }
  return found;
};

const countWorkers = ({ workers, now }: Evidence): Overview["workers"] => {
  if (workers === null) return null;
  const counts = { online: 0, late: 0, gone: 0 };
  for (const worker of workers) if (worker.state !== "stopped") counts[presenceOf(worker, now)]++;
  return counts;
};
