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
      ? { results: [], dependants: [] }
      : database.write(context, "failJobs", (store) => {
          const dependants: FailJobsResult["dependants"][number][] = [];
          const results = jobs.map((job) => failJob(store, job, dependants));
          return { results, dependants };
        });

const failJob = (
  store: Store,
  { jobId, leaseVersion, error }: FailJobsParams<InProcessContext>["jobs"][number],
  dependants: FailJobsResult["dependants"][number][],
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
  for (const dependant of failDependants(store, stored.first)) dependants.push(dependant);
  return { kind: "failed", failedAt: new Date(store.now) };
};
