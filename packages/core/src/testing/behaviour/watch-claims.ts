import type { AcquireJobsParams, AcquireJobsResult } from "../../adapters/state-adapter-params.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { eventually } from "../waiting.ts";
import { interceptState } from "./intercept-state.ts";

/**
 * Knows which workers have looked and seen all there is. From then on such a worker finds nothing by a look that it would
 * make anyhow, until its poll.
 */
export const watchClaims = (
  adapter: AnyStateAdapter,
): {
  readonly adapter: AnyStateAdapter;
  readonly untilIdle: (workerCount?: number) => Promise<void>;
} => {
  const idle = new Set<string>();
  return {
    adapter: interceptState(adapter, {
      before: (operation, params) => {
        if (operation === "acquireJobs") idle.delete((params as AcquireJobsParams).workerId);
      },
      after: (operation, params, answer) => {
        if (operation !== "acquireJobs") return;
        const { workerId, limit } = params as AcquireJobsParams;
        const { jobs, nextDueInMs } = answer as AcquireJobsResult;
        if (jobs.length < limit && nextDueInMs === null) idle.add(workerId);
      },
    }),
    untilIdle: async (workerCount = 1) => {
      await eventually(
        () => Promise.resolve(idle.size >= workerCount ? true : undefined),
        "a worker that has nothing to look for",
      );
    },
  };
};
