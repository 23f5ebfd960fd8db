// ↺ Jobs fail for good. A job without waiters is one write. A job with waiters is one transaction together
// with the first levels of its dependants. Further levels are transactions of their own
// (`fail-dependants.ts`), unless the caller has a transaction.
import type { FailJobsParams, FailJobsResult, StateAdapter } from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { failedAttempts, together } from "../end-attempts.ts";
import {
  createStamp,
  heldUnder,
  leaseFields,
  sequenceIdOf,
  toLeaseLostReason,
} from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import {
  boundedCascade,
  type CascadeBounds,
  type CascadeStep,
  failDependants,
  finishCascade,
  wholeCascade,
} from "./fail-dependants.ts";
import { readSettled, type Settled } from "./write-completions.ts";

type FailJobs = StateAdapter<object, object, string>["failJobs"];
type Failure = FailJobsParams<object>["jobs"][number];
type Result = FailJobsResult["results"][number];
type SettledById = Map<string, Settled>;

export const failJobs =
  (db: Database, repeat: Repeat): FailJobs =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return { results: [], dependants: [], unblocked: [] };
    const stamp = createStamp();
    const own = db.writeScopeOf(context);
    if (own.session !== undefined) {
      const { settled, step } = await failAwaited(db, own, jobs, stamp, wholeCascade);
      const { dependants, unblocked } = step;
      return { results: toResults(jobs, settled, stamp), dependants, unblocked };
    }
    // Repeated with the stamp of the first attempt: jobs that it has stored count as this call's.
    const alone = await repeat(() =>
      write(db, outside, jobs, stamp, { hasWaiters: { $exists: false } }),
    );
    const isOpen = ({ jobId }: Failure): boolean => {
      const job = alone.get(jobId);
      return job?.hasWaiters === true && job.stamp !== stamp;
    };
    const rest = jobs.filter(isOpen);
    if (rest.length === 0) {
      return { results: toResults(jobs, alone, stamp), dependants: [], unblocked: [] };
    }
    const { settled, step } = await repeat(() =>
      db.transact(undefined, (scope) => failAwaited(db, scope, rest, stamp, boundedCascade)),
    );
    const others = await finishCascade(db, repeat, step);
    return { results: toResults(jobs, new Map([...alone, ...settled]), stamp), ...others };
  };

const failAwaited = async (
  db: Database,
  scope: Scope,
  jobs: readonly Failure[],
  stamp: string,
  bounds: CascadeBounds,
): Promise<{ readonly settled: SettledById; readonly step: CascadeStep }> => {
  const settled = await write(db, scope, jobs, stamp, {});
  const failed = [...settled.values()].filter((job) => job.stamp === stamp && job.hasWaiters);
  const step = await failDependants(db, scope, failed.map(sequenceIdOf), bounds);
  return { settled, step };
};

const write = async (
  db: Database,
  scope: Scope,
  jobs: readonly Failure[],
  stamp: string,
  condition: object,
): Promise<SettledById> => {
  for (const some of together(jobs)) {
    const ended = failedAttempts(some, "failed", null);
    await db.jobs.updateMany(scope, { ...heldUnder(some), ...condition }, [
      { $set: { status: "failed", stamp, finishedAt: "$$NOW", ...ended } },
      { $unset: Object.keys(leaseFields) },
    ]);
  }
  return readSettled(db, scope, jobs);
};

const toResults = (
  jobs: readonly Failure[],
  settled: ReadonlyMap<string, Settled>,
  stamp: string,
): Result[] => {
  const seen = new Set<string>();
  return jobs.map(({ jobId }) => {
    const job = settled.get(jobId);
    const isFirst = !seen.has(jobId);
    seen.add(jobId);
    if (isFirst && job?.stamp === stamp && job.finishedAt !== undefined) {
      return { kind: "failed", failedAt: job.finishedAt };
    }
    return { kind: "lost", reason: toLeaseLostReason(job) };
  });
};
