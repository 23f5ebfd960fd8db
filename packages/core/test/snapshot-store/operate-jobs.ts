// Step 7 of the page: retries, triggers, locks and deletions.
import type { DeleteFinishedParams } from "queuert/internal";
import { retryInRounds } from "queuert/internal";
import type { RetryFailedResult } from "queuert/internal";
import {
  blockersOf,
  dueAt,
  hasStatus,
  isFinished,
  put,
  rowsOf,
  toReference,
  toStateJob,
  toStateSequence,
} from "./rows.ts";
import { isDone, isOpen } from "./settle-jobs.ts";
import type { Data, Database, Edge, Method, Row } from "./snapshot.ts";

export const retryFailedJobs =
  (database: Database): Method<"retryFailedJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, (data, now) => retryInRounds(ids, (id) => retry(data, id, now)));

const retry = (data: Data, id: string, now: number): RetryFailedResult => {
  const row = data.rows[id];
  if (row === undefined) return { kind: "refused", reason: "not_found" };
  if (row.status !== "failed") return { kind: "refused", reason: "not_failed" };
  const blockers = blockersOf(data, id);
  const failed = blockers.find((one) => hasStatus(data, one, "failed"));
  if (row.onBlockerFailure === "fail" && failed !== undefined) {
    return { kind: "refused", reason: "blocker_failed", bySequenceId: failed };
  }
  const cancelled = blockers.find((one) => hasStatus(data, one, "cancelled"));
  if (row.onBlockerFailure !== "continue" && cancelled !== undefined) {
    return { kind: "refused", reason: "blocker_cancelled", bySequenceId: cancelled };
  }
  const holder = keyHolder(data, row);
  if (holder !== undefined) {
    return { kind: "refused", reason: "deduplication_key_taken", bySequenceId: holder.id };
  }
  const isBlocked = blockers.some((one) => !isDone(data, row, one));
  const status = isBlocked ? "blocked" : "pending";
  const retried = put(data, row, { status, attempt: 0, scheduledAt: now, finishedAt: null });
  return { kind: "retried", job: toStateJob(retried) };
};

const keyHolder = (data: Data, { sequenceId }: Row): Row | undefined => {
  const first = data.rows[sequenceId];
  if (first === undefined || first.deduplicationKey === null) return undefined;
  return rowsOf(data).find(
    (row) =>
      row.id !== first.id &&
      row.typeName === first.typeName &&
      row.deduplicationKey === first.deduplicationKey &&
      isOpen(data, row.id),
  );
};

export const updateJobs =
  (database: Database): Method<"updateJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, (data, now) =>
          jobs.map(({ id, input, schedule, priority, dueWithinMs }) => {
            const row = data.rows[id];
            if (row === undefined) return { kind: "refused", reason: "not_found" } as const;
            if (!["pending", "blocked", "failed"].includes(row.status)) {
              return { kind: "refused", reason: "not_updatable" } as const;
            }
            const latest = row.createdAt + (dueWithinMs ?? Infinity);
            const at = schedule === null ? Infinity : dueAt(schedule, now);
            const updated = put(data, row, {
              input: input ?? row.input,
              priority: priority ?? row.priority,
              scheduledAt: schedule === null ? row.scheduledAt : Math.min(at, latest),
            });
            return { kind: "updated", job: toStateJob(updated) } as const;
          }),
        );

export const triggerJobs =
  (database: Database): Method<"triggerJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, (data, now) =>
          ids.map((id) => {
            const row = data.rows[id];
            if (row === undefined) return { kind: "refused", reason: "not_found" } as const;
            if (row.status !== "pending")
              return { kind: "refused", reason: "not_pending" } as const;
            put(data, row, { scheduledAt: Math.min(row.scheduledAt, now) });
            return { kind: "triggered", job: toReference(row) } as const;
          }),
        );

/** With one writer, an open transaction has locked everything. */
export const lockSequences =
  (database: Database): Method<"lockSequences"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.writeInside(context, (data) => ids.map((id) => toStateSequence(data, id)));

export const deleteSequences =
  (database: Database): Method<"deleteSequences"> =>
  async ({ context, rootSequenceIds }) =>
    database.writeInside(context, (data) => {
      const known = rootSequenceIds.flatMap((id) => data.rows[id] ?? []);
      const others = known.filter((row) => row.rootSequenceId !== row.id);
      if (others.length > 0) {
        return { kind: "notRoots", sequenceIds: [...new Set(others.map(({ id }) => id))] };
      }
      const roots = new Set(known.map(({ id }) => id));
      const edges = edgesFromOutside(data, roots);
      if (edges.length > 0) {
        const withSequence = edges.map((edge) => ({
          ...edge,
          sequenceId: data.rows[edge.jobId]?.sequenceId ?? "",
        }));
        return { kind: "blocking", edges: withSequence };
      }
      const deleted = deleteTrees(data, roots);
      const running = deleted.filter(({ status }) => status === "running").map(toReference);
      return { kind: "deleted", jobCount: deleted.length, running };
    });

const rootOf = (data: Data, id: string): string => data.rows[id]?.rootSequenceId ?? "";

/** Jobs outside that still need the output of a sequence in the trees. A completed one has read it. */
const edgesFromOutside = (data: Data, roots: ReadonlySet<string>): readonly Edge[] =>
  data.edges.filter(
    ({ jobId, blockerSequenceId }) =>
      roots.has(rootOf(data, blockerSequenceId)) &&
      !roots.has(rootOf(data, jobId)) &&
      !["completed", "cancelled"].includes(data.rows[jobId]?.status ?? ""),
  );

const deleteTrees = (data: Data, roots: ReadonlySet<string>): readonly Row[] => {
  const deleted = rowsOf(data).filter(({ rootSequenceId }) => roots.has(rootSequenceId));
  const ids = new Set(deleted.map(({ id }) => id));
  data.edges = data.edges.filter(
    (edge) => !ids.has(edge.jobId) && !ids.has(edge.blockerSequenceId),
  );
  for (const id of ids) delete data.rows[id];
  return deleted;
};

export const deleteFinishedSequences =
  (database: Database): Method<"deleteFinishedSequences"> =>
  async (params) =>
    params.limit <= 0
      ? 0
      : database.write(undefined, (data, now) => {
          let jobCount = 0;
          let left = params.limit;
          for (const root of finishedTrees(data, params, now)) {
            if (left === 0) break;
            if (edgesFromOutside(data, new Set([root])).length > 0) continue;
            left--;
            jobCount += deleteTrees(data, new Set([root])).length;
          }
          return jobCount;
        });

/** The roots of the trees in which every job is old enough, the longest finished first. */
const finishedTrees = (
  data: Data,
  { completedForMs, failedForMs, cancelledForMs }: DeleteFinishedParams,
  now: number,
): readonly string[] => {
  const trees = new Map<string, Row[]>();
  for (const row of rowsOf(data)) {
    const tree = trees.get(row.rootSequenceId);
    if (tree === undefined) trees.set(row.rootSequenceId, [row]);
    else tree.push(row);
  }
  const isOld = (row: Row): boolean => {
    const others = row.status === "cancelled" ? cancelledForMs : failedForMs;
    const ageMs = row.status === "completed" ? completedForMs : others;
    return isFinished(row) && ageMs !== null && (row.finishedAt ?? now) <= now - ageMs;
  };
  const lastOf = (rows: readonly Row[]): number =>
    Math.max(...rows.map(({ finishedAt }) => finishedAt ?? 0));
  return [...trees]
    .filter(([, rows]) => rows.every(isOld))
    .sort(([, left], [, right]) => lastOf(left) - lastOf(right))
    .map(([root]) => root);
};
