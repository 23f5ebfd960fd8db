// The jobs that need attention: first those that nothing moves, then those that are late.
import type { StateSummary } from "../../adapters/state-adapter-queries.ts";
import type { StatePause } from "../../adapters/state-adapter-params.ts";
import type { Evidence } from "../explain/evidence.ts";
import { duration } from "../../model/duration-text.ts";
import { countOf } from "../explain/words.ts";
import { quoteText } from "../filter/quote-text.ts";
import type { TypeOverview } from "./overview.ts";

/** Something that an operator should look at. */
export interface Attention {
  readonly kind:
    | "no_worker"
    | "paused"
    | "blocked_by_failed"
    | "expired_leases"
    | "overdue"
    | "failing"
    | "running_long";
  readonly severity: "error" | "warning";
  readonly typeName: string | null;
  readonly count: number;
  /** One sentence. */
  readonly text: string;
  /** Finds the jobs. */
  readonly filter: string;
}

/** A due job that is older than this needs attention. */
const overdueMs = 5 * 60_000;

/** So many jobs that failed within the last minutes need attention, if they are so large a part of those that ended. */
const failing = { countMin: 10, shareMin: 0.1 } as const;

export const toAttention = (
  types: readonly TypeOverview[],
  summary: StateSummary,
  evidence: Evidence,
): readonly Attention[] => {
  const found = [
    ...types.flatMap((type) => waitingAttention(type, evidence)),
    ...storeAttention(summary),
    ...types.flatMap(failingAttention),
  ];
  const of = (severity: Attention["severity"]): readonly Attention[] =>
    found.filter((each) => each.severity === severity);
  return [...of("error"), ...of("warning")];
};

/** Due jobs that are not acquired. The first reason decides. */
const waitingAttention = (type: TypeOverview, evidence: Evidence): readonly Attention[] => {
  const { typeName, due: count, workers, oldestDueMs } = type;
  if (oldestDueMs === null) return [];
  const about = { typeName, count, filter: `is:due type:${quoteText(typeName)}` } as const;
  const due = `${countOf(count, "job")} due`;
  const pause = pauseOf(typeName, evidence.pauses);
  if (pause !== undefined) {
    const forMs = evidence.now.getTime() - pause.pausedAt.getTime();
    const because = pause.note === null ? "" : ` (${pause.note})`;
    const text = `${typeName}: paused for ${duration(forMs)}${because}, ${due}.`;
    return [{ ...about, kind: "paused", severity: "warning", text }];
  }
  if (workers === 0) {
    const text = `${typeName}: ${due}, and no live worker implements the type.`;
    return [{ ...about, kind: "no_worker", severity: "error", text }];
  }
  if (oldestDueMs <= overdueMs) return [];
  const text = `${typeName}: the oldest due job has waited for ${duration(oldestDueMs)}.`;
  return [{ ...about, kind: "overdue", severity: "warning", text }];
};

/** That of the type, else that of every type. */
const pauseOf = (typeName: string, pauses: readonly StatePause[]): StatePause | undefined =>
  pauses.find((pause) => pause.typeName === typeName) ??
  pauses.find((pause) => pause.typeName === null);

const failingAttention = ({ typeName, recent }: TypeOverview): readonly Attention[] => {
  if (recent === null) return [];
  const { failed: count, completed, continued } = recent;
  const share = count / (count + completed + continued);
  if (count < failing.countMin || share < failing.shareMin) return [];
  const text =
    `${typeName}: ${countOf(count, "job")} failed within the last 10 minutes, ` +
    `${Math.round(share * 100)} % of those that ended.`;
  const filter = `status:failed type:${quoteText(typeName)}`;
  return [{ kind: "failing", severity: "warning", typeName, count, text, filter }];
};

const storeAttention = (summary: StateSummary): readonly Attention[] => {
  const found: Attention[] = [];
  const { blockedByFailedCount, expiredLeaseCount, runningLongCount } = summary;
  if (blockedByFailedCount > 0) {
    found.push({
      kind: "blocked_by_failed",
      severity: "error",
      typeName: null,
      count: blockedByFailedCount,
      text: `${countOf(blockedByFailedCount, "blocked job")} ${blockedByFailedCount === 1 ? "waits" : "wait"} for sequences that failed.`,
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
