// Counts for operators, in one command. Each part reads a partial index that holds only the jobs it counts.
import type { StateAdapter, StateSummary } from "queuert/internal";
import type { Database } from "../database.ts";
import { isExpired } from "../expressions.ts";
import { sequenceIdOf } from "../job-document.ts";
import type { JobCollection, Scope } from "../store.ts";

type Summarize = StateAdapter<object, object, string>["summarize"];
type Count = StateSummary["counts"][number];

type Row =
  | {
      readonly kind: "count";
      readonly typeName: string;
      readonly status: Count["status"];
      readonly count: number;
      /** Of pending jobs of which some are due. */
      readonly oldest?: { readonly ageMs: number; readonly dueCount: number };
    }
  | { readonly kind: "blockedByFailed" | "expired" | "runningLong"; readonly count: number };

// A condition on the first field of each status's index. Without a condition on a field of the index, the
// server uses no index, partial or not, and reads all jobs. A range of values is answered by the index alone, and `$exists` by the jobs.
const any = {
  pending: { typeName: { $gte: "" } },
  blocked: { typeName: { $gte: "" } },
  running: { leasedUntil: { $gte: new Date(0) } },
  failed: { finishedAt: { $gte: new Date(0) } },
} as const;

export const summarize =
  (db: Database): Summarize =>
  async ({ context, runningLongMs, timeoutMs }) => {
    const parts = [
      pendingByType,
      ...(["running", "blocked", "failed"] as const).map(countByType),
      countOf("expired", { status: "running", ...isExpired }),
      countOf("runningLong", {
        ...{ status: "running", ...any.running },
        $expr: { $lte: ["$lastAttemptAt", { $subtract: ["$$NOW", Math.round(runningLongMs)] }] },
      }),
    ];
    const rows = await readParts(db, db.scopeOf(context, timeoutMs), parts);
    return toSummary(rows);
  };

const readParts = async (
  { jobs }: Database,
  scope: Scope,
  parts: readonly object[][],
): Promise<Row[]> => {
  const [first = [], ...others] = parts;
  if (scope.session === undefined) {
    const all = [...others, blockedByFailed(jobs.name)];
    const unions = all.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } }));
    return jobs.aggregate<Row>(scope, [...first, ...unions]);
  }
  // `$unionWith` is not allowed in transactions, and a session runs one command at a time.
  const rows: Row[] = [];
  for (const part of parts) rows.push(...(await jobs.aggregate<Row>(scope, part)));
  return [...rows, await countBlockedByFailed(jobs, scope)];
};

const failedWithWaiters = { status: "failed", ...any.failed, hasWaiters: true };

// Without `$lookup`, which sharded clusters do not support here: see `createShardedReader`.
const countBlockedByFailed = async (jobs: JobCollection, scope: Scope): Promise<Row> => {
  const failed = await jobs.find(scope, failedWithWaiters, { projection: { sequenceId: 1 } });
  const ids = failed.map(sequenceIdOf);
  const waiting = await jobs.find(
    scope,
    { blockers: { $in: ids }, openBlockers: { $in: ids }, status: "blocked" },
    { projection: { _id: 1 } },
  );
  return { kind: "blockedByFailed", count: waiting.length };
};

const countByType = (status: Count["status"]): object[] => [
  { $match: { status, ...any[status] } },
  { $group: { _id: "$typeName", count: { $sum: 1 } } },
  { $project: { _id: 0, kind: "count", typeName: "$_id", status: { $literal: status }, count: 1 } },
];

const countOf = (kind: "expired" | "runningLong", match: object): object[] => [
  { $match: match },
  { $count: "count" },
  { $project: { kind, count: 1 } },
];

/** Pending jobs, and those of them that are due, in one walk over their index. */
const pendingByType: object[] = [
  { $match: { status: "pending", ...any.pending } },
  {
    $group: {
      _id: "$typeName",
      count: { $sum: 1 },
      dueCount: { $sum: { $cond: [{ $lte: ["$scheduledAt", "$$NOW"] }, 1, 0] } },
      // A blocked job does not wait for a worker: its waiting begins with its release. An absent field is no maximum, and no minimum.
      at: {
        $min: {
          $cond: [
            { $lte: ["$scheduledAt", "$$NOW"] },
            { $max: ["$scheduledAt", "$releasedAt"] },
            "$$REMOVE",
          ],
        },
      },
    },
  },
  {
    $project: {
      _id: 0,
      ...{ kind: "count", typeName: "$_id", status: { $literal: "pending" }, count: 1 },
      oldest: {
        $cond: [
          { $gt: ["$dueCount", 0] },
          // A release lies ahead if the clock was set back since.
          { ageMs: { $max: [0, { $subtract: ["$$NOW", "$at"] }] }, dueCount: "$dueCount" },
          "$$REMOVE",
        ],
      },
    },
  },
];

const openBlockers = { $ifNull: ["$openBlockers", []] } as const;

// From the failed jobs with waiters to the jobs that wait for them: few on both sides. Lookups for many of them at once cost the
// server half as much again: each job that waits is compared with all of them.
const blockedByFailed = (jobs: string): object[] => [
  { $match: failedWithWaiters },
  { $project: { failed: { $ifNull: ["$sequenceId", "$_id"] } } },
  {
    $lookup: {
      from: jobs,
      localField: "failed",
      foreignField: "blockers",
      let: { failed: "$failed" },
      pipeline: [
        // The server may evaluate `$in` first, and completed jobs have no open blockers.
        { $match: { status: "blocked", $expr: { $in: ["$$failed", openBlockers] } } },
        { $project: { _id: 1 } },
      ],
      as: "waiting",
    },
  },
  { $unwind: "$waiting" },
  { $group: { _id: "$waiting._id" } },
  { $count: "count" },
  { $project: { kind: "blockedByFailed", count: 1 } },
];

const toSummary = (rows: readonly Row[]): StateSummary => {
  const countOfKind = (kind: "blockedByFailed" | "expired" | "runningLong"): number => {
    const row = rows.find((each) => each.kind === kind);
    return row !== undefined && "count" in row ? row.count : 0;
  };
  return {
    counts: rows.flatMap((row) =>
      row.kind === "count"
        ? [{ typeName: row.typeName, status: row.status, count: row.count }]
        : [],
    ),
    oldestReady: rows.flatMap((row) =>
      row.kind === "count" && row.oldest !== undefined
        ? [{ typeName: row.typeName, ...row.oldest }]
        : [],
    ),
    blockedByFailedCount: countOfKind("blockedByFailed"),
    expiredLeaseCount: countOfKind("expired"),
    runningLongCount: countOfKind("runningLong"),
  };
};
