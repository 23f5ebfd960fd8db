// Expressions in filters and pipelines. Times are always the server's, with durations within the range
// of a BSON date. Batches are one update: a statement for each document costs the server four times as
// much. A value that differs from document to document is found by id, in an array that the server
// turns into a hash table.
import { limits, type ScheduleOptions } from "queuert/internal";

/** Whole milliseconds, within the range that can be added to a date. */
export const clampMs = (ms: number): number =>
  Math.round(Math.max(-limits.delayMsMax, Math.min(ms, limits.delayMsMax)));

/** The statement's time plus a number of milliseconds. */
export const afterNow = (ms: number): object => ({ $add: ["$$NOW", clampMs(ms)] });

/** The due time of a schedule. */
export const dueExpression = (schedule: ScheduleOptions): object =>
  schedule.at === undefined ? afterNow(schedule.afterMs) : { $literal: schedule.at };

/** The due time of a schedule, counted from an instant that the store gave. */
export const dueAfter = (now: Date, schedule: ScheduleOptions | null): Date => {
  if (schedule === null) return now;
  return schedule.at ?? new Date(now.getTime() + clampMs(schedule.afterMs));
};

/** Conditions on the statement's time. Both can use an index. */
export const isDue = { $expr: { $lte: ["$scheduledAt", "$$NOW"] } } as const;
export const isWaitOver = { $expr: { $lte: ["$blockedUntil", "$$NOW"] } } as const;
export const isExpired = { $expr: { $lte: ["$leasedUntil", "$$NOW"] } } as const;

/** Jobs without a key. A job under a key has no field `priority`, so the index `due` passes over it. */
export const anyPriority: { readonly priority: object } = { priority: { $gte: -Infinity } };
export const withoutKey = { limitKeyId: { $exists: false } } as const;

/** The value for the id of this document. A null removes the field. */
export const valueById = (ids: readonly string[], values: readonly unknown[]): object => ({
  $ifNull: [
    {
      $arrayElemAt: [{ $literal: values }, { $indexOfArray: [{ $literal: ids }, "$_id"] }],
    },
    "$$REMOVE",
  ],
});

interface Held {
  readonly jobId: string;
  readonly leaseVersion: number;
}

/** Running jobs, each under the lease that its element names. */
export const heldUnder = (elements: readonly Held[]): object => {
  const byVersion = new Map<number, string[]>();
  for (const { jobId, leaseVersion } of elements) {
    const ids = byVersion.get(leaseVersion);
    if (ids === undefined) byVersion.set(leaseVersion, [jobId]);
    else ids.push(jobId);
  }
  const groups = [...byVersion].map(([leaseVersion, ids]) => ({
    _id: { $in: ids.sort() },
    leaseVersion,
  }));
  const [only, ...others] = groups;
  // Most jobs are acquired once: there are few versions at a time.
  return others.length === 0 ? { ...only, status: "running" } : { $or: groups, status: "running" };
};

/** The ends of renewed leases. */
export const leasedUntilOf = (
  leases: readonly { readonly jobId: string; readonly leaseMs: number }[],
): object => {
  const ids = leases.map(({ jobId }) => jobId);
  const durations = leases.map(({ leaseMs }) => leaseMs);
  const isUniform = durations.every((leaseMs) => leaseMs === durations[0]);
  return isUniform
    ? afterNow(durations[0] ?? 0)
    : { $add: ["$$NOW", valueById(ids, durations.map(clampMs))] };
};
