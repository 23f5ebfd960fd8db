// Running jobs fail for good, and with them their dependants that are to fail with a blocker.
import type { FailJobsParams, FailJobsResult } from "../../adapters/state-adapter-params.ts";
import { withAttempt } from "../attempts.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { failDependants, failedState } from "../dependants.ts";
import { isHeld, whyLost } from "../stored-job.ts";
import type { Store } from "../store.ts";

export const failJobs =
  (database: Database): InProcessMethod<"failJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? { results: [], dependants: [], unblocked: [] }
      : database.write(context, "failJobs", (store) => {
          const others: Others = { dependants: [], unblocked: [] };
          const results = jobs.map((job) => failJob(store, job, others));
          return { results, ...others };
        });

interface Others {
  readonly dependants: FailJobsResult["dependants"][number][];
  readonly unblocked: FailJobsResult["unblocked"][number][];
}

const failJob = (
  store: Store,
  { jobId, leaseVersion, error }: FailJobsParams<InProcessContext>["jobs"][number],
  others: Others,
): FailJobsResult["results"][number] => {
  const stored = store.byId.get(jobId);
  const state = stored?.state;
  if (stored === undefined || !isHeld(state, leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  const end = { outcome: "failed", error, nextAt: null } as const;
  store.put(stored, {
    ...failedState(state, error, store.now),
    attempts: withAttempt(state, end, store.now),
  });
  // A loop, not a spread: many dependants would exceed the limit of arguments.
  const { dependants, unblocked } = failDependants(store, stored.first);
  for (const dependant of dependants) others.dependants.push(dependant);
  for (const job of unblocked) others.unblocked.push(job);
  return { kind: "failed", failedAt: new Date(store.now) };
};
