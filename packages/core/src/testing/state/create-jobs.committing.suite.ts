// Creation without a transaction of the caller's: one call, atomic, committed when it resolves.
import { expect } from "vitest";
import { aJob, aKey } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const createJobsCommittingSuite: StateSuite = defineStateSuite(
  "createJobs, committing",
  (rule) => {
    rule(
      "Without `context` the call commits by itself, in one round trip where the store can: when it resolves, every connection sees all jobs.",
      async ({ stateAdapter, secondStateAdapter }) => {
        // One job, several, one with a key, and one that waits for blockers.
        const calls = [
          [aJob()],
          [aJob(), aJob({ priority: 2 }), aJob({ schedule: { afterMs: 60_000 } })],
          [aJob({ deduplication: aKey("k") }), aJob({ deduplication: aKey("k") })],
          [aJob({ awaitsBlockers: true })],
        ];
        for (const jobs of calls) {
          const created = await stateAdapter.createJobs({ jobs });
          const ids = created.map(({ job }) => job.id);
          const stored = await secondStateAdapter.getJobs({ ids });
          expect(stored.map((job) => job?.id)).toEqual(ids);
        }
      },
    );

    rule(
      "Without `context`, the call is not part of a transaction that is open elsewhere.",
      async ({ stateAdapter, runInTransaction, steps }) => {
        if (!stateAdapter.capabilities.concurrentWriters) return;
        const rolledBack = runInTransaction(async (context) => {
          await stateAdapter.createJobs({ context, jobs: [aJob()] });
          await stateAdapter.createJobs({ jobs: [aJob({ typeName: "own" })] });
          throw new Error("rolled back");
        });
        await expect(rolledBack).rejects.toThrow("rolled back");
        expect(await steps.acquire({ typeName: "own", limit: 10 })).toHaveLength(1);
        expect(await steps.acquire({ limit: 10 })).toEqual([]);
      },
    );
  },
);
