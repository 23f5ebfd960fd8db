// Blocked jobs whose wait ends at some time. An acquisition looks for them in the commands that read candidates and the next due
// time. Usually the index is empty.
import type { Database } from "./database.ts";
import { isWaitOver } from "./job-document.ts";
import { skipLocked } from "./skip-locked.ts";

/** A blocked job whose wait has ended, as a row among candidates. */
export interface OverdueJob {
  readonly isOverdue: true;
  readonly _id: string;
  readonly typeName: string;
}

const limited = { status: "blocked", blockedUntil: { $exists: true } } as const;

/** More are found by the next acquisition. */
const overdueMax = 1_000;

export const overdueJobs = (typeNames: readonly string[]): object[] => [
  { $match: { ...limited, typeName: { $in: typeNames }, ...isWaitOver } },
  { $sort: { blockedUntil: 1 } },
  { $limit: overdueMax },
  { $project: { typeName: 1, isOverdue: { $literal: true } } },
];

/** The next end of a wait, as the due time of a job. */
export const nextEndOfWait = (typeNames: readonly string[]): object[] => [
  { $match: { ...limited, typeName: { $in: typeNames } } },
  { $sort: { blockedUntil: 1 } },
  { $limit: 1 },
  { $project: { at: "$blockedUntil" } },
];

/** They become pending. A job that is locked is passed by: its last blocker ends in that transaction, or it is cancelled. */
export const endWaits = (db: Database, overdue: readonly OverdueJob[]): Promise<void> =>
  skipLocked(
    db,
    overdue.map(({ _id }) => _id),
    async (scope, ids, options) => {
      const filter = { _id: { $in: [...ids] }, ...limited, ...isWaitOver };
      const pending = [{ $set: { status: "pending", releasedAt: "$$NOW" } }];
      await db.jobs.updateMany(scope, filter, pending, options);
    },
  );
