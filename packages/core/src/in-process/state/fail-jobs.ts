// A running job fails for good, and with it those that are not to outlive a blocker.
import type { FailJobsParams, FailJobsResult } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessContext } from "../database.ts";
import { failDependants, failedState } from "../fail-dependants.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { isHeld, whyLost } from "../lease-check.ts";
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
  const cell = store.cells.get(jobId);
  const state = cell?.state;
  if (cell === undefined || !isHeld(state, leaseVersion)) {
    return { kind: "lost", reason: whyLost(state) };
  }
  store.put(cell, failedState(state, error, store.now));
  // A loop, not a spread: arguments have a limit that many dependants may reach.
  for (const dependant of failDependants(store, cell.first)) dependants.push(dependant);
  return { kind: "failed", failedAt: new Date(store.now) };
};
