// Counts for operators, in one command. Each part reads a partial index that holds only the jobs it counts.
import type { StateAdapter, StateSummary } from "queuert/internal";
import type { Database } from "../database.ts";
import { isDue, isExpired } from "../expressions.ts";
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
    }
  | { readonly kind: "oldest"; readonly typeName: string; readonly ageMs: number }
  | { readonly kind: "blockedByFailed" | "expired" | "runningLong"; readonly count: number };

// A condition on the first field of each status's index. Without a condition on a field of the index, the
// server uses no index, partial or not, and reads all jobs.
const any = {
  pending: { typeName: { $gte: "" } },
  blocked: { typeName: { $gte: "" } },
  running: { leasedUntil: { $gte: new Date(0) } },
  failed: { finishedAt: { $exists: true } },
} as const;

export const summarize =
  (db: Database): Summarize =>
  async ({ context, runningLongMs }) => {
    const parts = [
      ...(["pending", "running", "blocked", "failed"] as const).map(countByType),
      oldestReady,
      countOf("expired", { status: "running", ...isExpired }),
      countOf("runningLong", {
        ...{ status: "running", ...any.running },
        $expr: { $lte: ["$lastAttemptAt", { $subtract: ["$$NOW", Math.round(runningLongMs)] }] },
      }),
    ];
    const rows = await readParts(db, db.scopeOf(context), parts);
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

const failedWithWaiters = { status: "failed", finishedAt: { $exists: true }, hasWaiters: true };

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

const oldestReady: object[] = [
  { $match: { status: "pending", ...any.pending, ...isDue } },
  // A blocked job does not wait for a worker: its waiting begins with its release. An absent field is no maximum.
  { $group: { _id: "$typeName", at: { $min: { $max: ["$scheduledAt", "$releasedAt"] } } } },
  {
    $project: {
      _id: 0,
      kind: "oldest",
      typeName: "$_id",
      // A release lies ahead if the clock was set back since.
      ageMs: { $max: [0, { $subtract: ["$$NOW", "$at"] }] },
    },
  },
];

const openBlockers = { $ifNull: ["$openBlockers", []] } as const;

// From the failed jobs with waiters to the jobs that wait for them: few on both sides.
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
      row.kind === "oldest" ? [{ typeName: row.typeName, ageMs: row.ageMs }] : [],
    ),
    blockedByFailedCount: countOfKind("blockedByFailed"),
    expiredLeaseCount: countOfKind("expired"),
    runningLongCount: countOfKind("runningLong"),
  };
};
