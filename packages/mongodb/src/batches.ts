// Types whose jobs are acquired in batches: from when they can be, and the document that makes acquisitions of a type take turns.
import type { AcquireJobsParams, BatchCondition } from "queuert/internal";
import type { Database } from "./database.ts";
import { anyPriority, isExpired, type JobDocument, withoutKey } from "./job-document.ts";

import type { Scope } from "./store.ts";

/** Beside the counters. */
export interface BatchDocument {
  readonly _id: string;
  /** The time of the last transaction that needed the type alone. */
  readonly lockedAt: Date;
}

/** For this transaction alone. A transaction that meets another one is aborted, and its caller runs it again. */
export const lockBatch = (
  db: Database,
  scope: Scope,
  typeName: string,
): Promise<BatchDocument | null> =>
  db.batches.findOneAndUpdate(
    scope,
    { _id: `batch ${typeName}` },
    [{ $set: { lockedAt: "$$NOW" } }],
    { upsert: true },
  );

type DueJob = Pick<JobDocument, "scheduledAt" | "releasedAt"> & { readonly now: Date };

const order = { priority: -1, scheduledAt: 1, ordinal: 1 } as const;
const fields = { _id: 0, scheduledAt: 1, releasedAt: 1, now: "$$NOW" } as const;

/** Milliseconds until the pending jobs of a type can be acquired; 0: now. Infinity: there is no job. */
export const msUntilRipe = async (
  db: Database,
  scope: Scope,
  typeName: string,
  { minSize, maxWaitMs }: BatchCondition,
): Promise<number> => {
  const first = (match: object, sort: object): Promise<DueJob[]> =>
    db.jobs.aggregate<DueJob>(scope, [
      { $match: match },
      { $sort: sort },
      { $limit: minSize },
      { $project: fields },
    ]);
  const due = await first(
    { status: "running", ...isExpired, typeName, ...withoutKey },
    { leasedUntil: 1 },
  );
  for (const { _id: priority } of await prioritiesOf(db, scope, typeName)) {
    due.push(...(await first({ typeName, status: "pending", priority }, order)));
  }
  const [any] = due;
  if (any === undefined) return Infinity;
  const times = due.map(({ scheduledAt }) => scheduledAt.getTime());
  const since = due.map(({ scheduledAt, releasedAt }) =>
    Math.max(scheduledAt.getTime(), releasedAt?.getTime() ?? 0),
  );
  times.sort((left, right) => left - right);
  const ripeAt = Math.min(times[minSize - 1] ?? Infinity, Math.min(...since) + maxWaitMs);
  return Math.max(0, ripeAt - any.now.getTime());
};

/** A distinct scan of the index: one key for each priority. */
const prioritiesOf = (
  db: Database,
  scope: Scope,
  typeName: string,
): Promise<readonly { readonly _id: number }[]> =>
  db.jobs.aggregate(scope, [
    { $match: { typeName, status: "pending", ...anyPriority } },
    { $sort: { priority: -1, scheduledAt: 1 } },
    { $group: { _id: "$priority", at: { $first: "$scheduledAt" } } },
  ]);

type AcquiredType = AcquireJobsParams["types"][number];

/** As `msUntilRipe`; 0 for a type without the condition. */
export const msUntilBatch = async (
  db: Database,
  scope: Scope,
  { typeName, batch }: AcquiredType,
): Promise<number> => (batch === undefined ? 0 : msUntilRipe(db, scope, typeName, batch));
