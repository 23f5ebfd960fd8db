// When a sequence fails, the jobs that wait for it with `onBlockerFailure: "fail"` fail too, and their
// dependants in turn. A line of thousands of such jobs does not fit into one transaction: the server aborts
// it after `transactionLifetimeLimitSeconds`. The cascade is therefore cut into bounded transactions.
// - A level (all dependants of the sequences that failed before it) is never divided. A reader sees all
//   of it failed, or none.
// - When a transaction stops, the failed jobs whose dependants are left are stored with `cascade: true`.
//   The next transaction takes the flag away and fails their dependants.
// - If the process crashes in between, the next `reclaimExpiredLeases` of any worker goes on from the flags.
// - A failed job that is retried in between loses its flag: its dependants stay blocked, and wait for it.
import { blockerFailedError, type StateJobReference, type UnblockedJob } from "queuert/internal";
import { agreeToEnd } from "../agreement/waiter-handshake.ts";
import type { Database, Repeat } from "../database.ts";
import {
  createStamp,
  type JobDocument,
  leaseFields,
  referenceFields,
  sequenceIdOf,
  toReference,
} from "../job-document.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { releaseContinuingJobs } from "./release-waiting-jobs.ts";

export interface FailedDependant extends StateJobReference {
  readonly error: string;
}

/** When a transaction stops. Each level costs at least six commands. */
export interface CascadeBounds {
  readonly levels: number;
  readonly jobs: number;
}

export const boundedCascade: CascadeBounds = { levels: 30, jobs: 1_000 };
/** For the caller's transaction, which commits as a whole. */
export const wholeCascade: CascadeBounds = { levels: Infinity, jobs: Infinity };

export interface CascadeStep {
  readonly dependants: readonly FailedDependant[];
  readonly unblocked: readonly UnblockedJob[];
  /** The failed jobs that are flagged: their dependants are left for the next transaction. */
  readonly flagged: readonly string[];
}

/** Fails the dependants of failed sequences, level by level, until none is left or a bound is reached. */
export const failDependants = async (
  db: Database,
  scope: Scope,
  failedSequenceIds: readonly string[],
  bounds: CascadeBounds,
): Promise<CascadeStep> => {
  const dependants: FailedDependant[] = [];
  const unblocked: UnblockedJob[] = [];
  let failed = [...new Set(failedSequenceIds)];
  for (let levels = 1; failed.length > 0; levels++) {
    await agreeToEnd(db, scope, failed);
    for (const job of await releaseContinuingJobs(db, scope, failed)) unblocked.push(job);
    const waiting = await readLevel(db, scope, failed);
    if (waiting.length === 0) break;
    const causes = new Set(failed);
    const awaited = waiting.filter(({ hasWaiters }) => hasWaiters);
    const isLast = levels >= bounds.levels || dependants.length + waiting.length >= bounds.jobs;
    const flagged = isLast ? awaited.map(({ _id }) => _id) : [];
    const isFlagged = new Set(flagged);
    const level = waiting.map((job): FailedDependant => {
      const cause = job.openBlockers?.find((id) => causes.has(id)) ?? "";
      return { ...toReference(job), error: blockerFailedError(cause) };
    });
    await db.jobs.bulkUpdate(
      scope,
      level.map((dependant) => toFailure(dependant, isFlagged.has(dependant.id))),
    );
    // A loop, not a spread: the number of arguments is limited.
    for (const dependant of level) dependants.push(dependant);
    if (isLast) return { dependants, unblocked, flagged };
    failed = awaited.map(sequenceIdOf);
  }
  return { dependants, unblocked, flagged: [] };
};

const readLevel = async (
  { jobs }: Database,
  scope: Scope,
  failed: readonly string[],
): Promise<JobDocument[]> => {
  const waiting = await jobs.find(
    scope,
    {
      blockers: { $in: failed },
      openBlockers: { $in: failed },
      status: "blocked",
      onBlockerFailure: "fail",
    },
    { projection: { ...referenceFields, openBlockers: 1, hasWaiters: 1 } },
  );
  return waiting.sort((a, b) => (a._id < b._id ? -1 : 1));
};

const toFailure = ({ id, error }: FailedDependant, isFlagged: boolean): UpdateOne => ({
  updateOne: {
    filter: { _id: id, status: "blocked" },
    update: {
      $set: {
        ...{ status: "failed", lastAttemptError: error, stamp: createStamp() },
        ...(isFlagged && { cascade: true }),
      },
      $currentDate: { finishedAt: true },
      $unset: leaseFields,
    },
  },
});

const goOn = (db: Database, flagged: readonly string[]): Promise<CascadeStep> =>
  db.transact(undefined, async (scope) => {
    // Not jobs that were retried or deleted meanwhile, or that another process goes on from.
    const failed = await db.jobs.find(
      scope,
      { _id: { $in: flagged }, status: "failed", cascade: true },
      { projection: { sequenceId: 1 } },
    );
    if (failed.length === 0) return { dependants: [], unblocked: [], flagged: [] };
    const ids = failed.map(({ _id }) => _id).sort();
    await db.jobs.updateMany(scope, { _id: { $in: ids } }, { $unset: { cascade: true } });
    return failDependants(db, scope, failed.map(sequenceIdOf), boundedCascade);
  });

/** Runs the transactions after the first, to the end or for a number of steps. */
export const finishCascade = async (
  db: Database,
  repeat: Repeat,
  first: CascadeStep,
  stepsMax: number = Infinity,
): Promise<Pick<CascadeStep, "dependants" | "unblocked">> => {
  const dependants = [...first.dependants];
  const unblocked = [...first.unblocked];
  let { flagged } = first;
  for (let step = 0; flagged.length > 0 && step < stepsMax; step++) {
    const ids = flagged;
    const next = await repeat(() => goOn(db, ids));
    for (const dependant of next.dependants) dependants.push(dependant);
    for (const job of next.unblocked) unblocked.push(job);
    ({ flagged } = next);
  }
  return { dependants, unblocked };
};

// A step takes less than a second, so an older flag is that of a process that is gone. If it is not, both
// go on: one of the two then conflicts, and finds the flags gone.
const abandonedAfterMs = 15_000;
const resumedJobsMax = 1_000;
const resumedStepsMax = 5;

/** Goes on with cascades whose process has crashed. One read of an index that is empty otherwise. */
export const resumeCascades = async (db: Database, repeat: Repeat): Promise<void> => {
  const abandoned = { $lte: ["$finishedAt", { $subtract: ["$$NOW", abandonedAfterMs] }] };
  const flagged = await db.jobs.find(
    outside,
    { cascade: true, finishedAt: { $exists: true }, $expr: abandoned },
    { projection: { _id: 1 }, sort: { finishedAt: 1 }, limit: resumedJobsMax, candidates: true },
  );
  const ids = flagged.map(({ _id }) => _id);
  await finishCascade(db, repeat, { dependants: [], unblocked: [], flagged: ids }, resumedStepsMax);
};
