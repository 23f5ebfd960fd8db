// Counts for operators. One command counts; each part of it reads a partial index that holds only the jobs it counts. The jobs that
// wait for failed ones are found by a second one.
import type { StateAdapter, StateSummary } from "queuert/internal";
import type { Database } from "../database.ts";
import type { JobCollection, Scope } from "../store.ts";

type Summarize = StateAdapter<object, object, string>["summarize"];
type Count = StateSummary["counts"][number];

interface Row {
  readonly typeName: string;
  readonly status: Count["status"];
  readonly count: number;
  /** Of pending jobs of which some are due. */
  readonly oldest?: { readonly ageMs: number; readonly dueCount: number };
  /** Of running jobs. */
  readonly expired?: number;
  readonly long?: number;
  /** Of failed jobs: the sequence that other jobs wait for. */
  readonly waitedFor?: string;
}

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
    const scope = db.scopeOf(context, timeoutMs);
    const parts = [pendingByType, blockedByType, failedByType, runningByType(runningLongMs)];
    const rows = await readParts(db, scope, parts);
    const failed = rows.flatMap(({ waitedFor }) => waitedFor ?? []);
    return toSummary(rows, await countWaiting(db.jobs, scope, failed));
  };

const readParts = async (
  { jobs }: Database,
  scope: Scope,
  parts: readonly object[][],
): Promise<readonly Row[]> => {
  const [first = [], ...others] = parts;
  if (scope.session === undefined) {
    const unions = others.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } }));
    return jobs.aggregate<Row>(scope, [...first, ...unions]);
  }
  // `$unionWith` is not allowed in transactions, and a session runs one command at a time.
  const rows: Row[] = [];
  for (const part of parts) rows.push(...(await jobs.aggregate<Row>(scope, part)));
  return rows;
};

/** Sequences of one command: their ids fill a part of a message. */
const sequencesAtOnce = 10_000;

/** The blocked jobs that wait for one of these sequences. A `$lookup` for each sequence costs the server several times as much. */
const countWaiting = async (
  jobs: JobCollection,
  scope: Scope,
  sequenceIds: readonly string[],
): Promise<number> => {
  // A job may wait for sequences of two commands.
  const waiting = new Set<string>();
  for (let from = 0; from < sequenceIds.length; from += sequencesAtOnce) {
    const $in = sequenceIds.slice(from, from + sequencesAtOnce);
    const filter = { blockers: { $in }, openBlockers: { $in }, status: "blocked" };
    const found = await jobs.find(scope, filter, { projection: { _id: 1 } });
    for (const { _id } of found) waiting.add(_id);
  }
  return waiting.size;
};

const shown = (status: Count["status"]): object => ({
  ...{ _id: 0, typeName: "$_id", status: { $literal: status }, count: 1 },
});

const blockedByType: object[] = [
  { $match: { status: "blocked", ...any.blocked } },
  { $group: { _id: "$typeName", count: { $sum: 1 } } },
  { $project: shown("blocked") },
];

/** A row for each failed job that others wait for, and one for the others of its type. So each job is read once. */
const failedByType: object[] = [
  { $match: { status: "failed", ...any.failed } },
  {
    $group: {
      _id: {
        typeName: "$typeName",
        waitedFor: { $cond: ["$hasWaiters", { $ifNull: ["$sequenceId", "$_id"] }, "$$REMOVE"] },
      },
      count: { $sum: 1 },
    },
  },
  {
    $project: {
      ...shown("failed"),
      typeName: "$_id.typeName",
      waitedFor: "$_id.waitedFor",
    },
  },
];

const sumOf = (condition: object): object => ({ $sum: { $cond: [condition, 1, 0] } });

const runningByType = (runningLongMs: number): object[] => [
  { $match: { status: "running", ...any.running } },
  {
    $group: {
      _id: "$typeName",
      count: { $sum: 1 },
      expired: sumOf({ $lte: ["$leasedUntil", "$$NOW"] }),
      long: sumOf({
        $lte: ["$lastAttemptAt", { $subtract: ["$$NOW", Math.round(runningLongMs)] }],
      }),
    },
  },
  { $project: { ...shown("running"), expired: 1, long: 1 } },
];

/** Pending jobs, and those of them that are due, in one walk over their index. */
const pendingByType: object[] = [
  { $match: { status: "pending", ...any.pending } },
  {
    $group: {
      _id: "$typeName",
      count: { $sum: 1 },
      dueCount: sumOf({ $lte: ["$scheduledAt", "$$NOW"] }),
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
      ...shown("pending"),
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

const toSummary = (rows: readonly Row[], blockedByFailedCount: number): StateSummary => {
  const total = (of: "expired" | "long"): number =>
    rows.reduce((sum, row) => sum + (row[of] ?? 0), 0);
  return {
    counts: toCounts(rows),
    oldestReady: rows.flatMap(({ typeName, oldest }) =>
      oldest === undefined ? [] : [{ typeName, ...oldest }],
    ),
    blockedByFailedCount,
    expiredLeaseCount: total("expired"),
    runningLongCount: total("long"),
  };
};

/** Failed jobs have several rows of a type. */
const toCounts = (rows: readonly Row[]): readonly Count[] => {
  const counts = new Map<string, Count>();
  for (const { typeName, status, count } of rows) {
    const key = JSON.stringify([status, typeName]);
    counts.set(key, { typeName, status, count: count + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()];
};
