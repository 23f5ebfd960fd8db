// ↺ A job has failed for good. By itself where nobody waits for its sequence; else in one transaction with those who do.
import type { FailJobsParams, FailJobsResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { sequenceIdOf } from "../job-document.ts";
import { toLeaseLostReason } from "../lease-lost.ts";
import { outside, type Scope, type UpdateOne } from "../store.ts";
import { createToken } from "../token.ts";
import { leaseFields, readSettled, type Settled } from "./completion.ts";
import { failDependants, type FailedDependant } from "./fail-dependants.ts";

type FailJobs = StateAdapter<object, object, string>["failJobs"];
type Failure = FailJobsParams<object>["jobs"][number];
type Result = FailJobsResult["results"][number];

export const createFailJobs =
  (db: Database): FailJobs =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return { results: [], dependants: [] };
    const token = createToken();
    const isOwn = db.scopeOf(context).session === undefined;
    const alone = isOwn
      ? await write(db, outside, jobs, token, { hasWaiters: { $exists: false } })
      : new Map<string, Settled>();
    const isOpen = ({ jobId }: Failure): boolean => {
      const job = alone.get(jobId);
      return !isOwn || (job?.hasWaiters === true && job.token !== token);
    };
    const rest = jobs.filter(isOpen);
    const awaited =
      rest.length === 0
        ? { settled: new Map<string, Settled>(), dependants: [] }
        : await db.transact(context, (scope) => failAwaited(db, scope, rest, token));
    const all = new Map([...alone, ...awaited.settled]);
    return { results: toResults(jobs, all, token), dependants: awaited.dependants };
  };

const failAwaited = async (
  db: Database,
  scope: Scope,
  jobs: readonly Failure[],
  token: string,
): Promise<{
  readonly settled: Map<string, Settled>;
  readonly dependants: readonly FailedDependant[];
}> => {
  const settled = await write(db, scope, jobs, token, {});
  const failed = [...settled.values()].filter((job) => job.token === token && job.hasWaiters);
  const dependants = await failDependants(db, scope, failed.map(sequenceIdOf));
  return { settled, dependants };
};

const write = async (
  db: Database,
  scope: Scope,
  jobs: readonly Failure[],
  token: string,
  condition: object,
): Promise<Map<string, Settled>> => {
  const sorted = [...jobs].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
  await db.jobs.bulkUpdate(
    scope,
    sorted.map(({ jobId, leaseVersion, error }): UpdateOne => ({
      updateOne: {
        filter: { _id: jobId, status: "running", leaseVersion, ...condition },
        update: {
          $set: { status: "failed", lastAttemptError: error, token },
          $currentDate: { finishedAt: true },
          $unset: leaseFields,
        },
      },
    })),
  );
  return readSettled(db, scope, jobs);
};

const toResults = (
  jobs: readonly Failure[],
  settled: ReadonlyMap<string, Settled>,
  token: string,
): Result[] => {
  const seen = new Set<string>();
  return jobs.map(({ jobId }) => {
    const job = settled.get(jobId);
    const isFirst = !seen.has(jobId);
    seen.add(jobId);
    if (isFirst && job?.token === token && job.finishedAt !== undefined) {
      return { kind: "failed", failedAt: job.finishedAt };
    }
    return { kind: "lost", reason: toLeaseLostReason(job) };
  });
};
