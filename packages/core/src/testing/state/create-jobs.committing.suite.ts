// Creating as all of a transaction, and as its last statement. Where a store cannot commit in the same statement the same
// must come of the statement and the commit one after the other, so every store runs these.
import { expect } from "vitest";
import { aJob, aKey } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const createJobsCommittingSuite: StateSuite = defineStateSuite(
  "createJobs, committing",
  (rule) => {
    rule(
      "`andCommit`, a capability, makes it the last statement of a `runInTransaction`, which may commit with it",
      async ({ stateAdapter, runInTransaction }) => {
        const andCommit = stateAdapter.capabilities.createsAndCommits === true;
        // One, many, with a key, and behind another statement.
        const calls = [
          [[aJob()]],
          [[aJob(), aJob({ priority: 2 }), aJob({ schedule: { afterMs: 60_000 } })]],
          [[aJob({ deduplication: aKey("k") })]],
          [[aJob()], [aJob()]],
        ];
        for (const steps of calls) {
          const ids = await runInTransaction(async (context) => {
            const created = [];
            for (const [index, jobs] of steps.entries()) {
              const isLast = index === steps.length - 1;
              const params = { context, jobs, andCommit: andCommit && isLast };
              created.push(...(await stateAdapter.createJobs(params)));
            }
            return created.map(({ job }) => job.id);
          });
          const stored = await stateAdapter.getJobs({ ids });
          expect(stored.map((job) => job?.id)).toEqual(ids);
        }
      },
    );

    rule(
      "A callback that rejects after it may find all of the transaction committed: never a part.",
      async ({ stateAdapter, runInTransaction, steps }) => {
        const andCommit = stateAdapter.capabilities.createsAndCommits === true;
        const late = new Error("too late");
        const transaction = runInTransaction(async (context) => {
          await stateAdapter.createJobs({ context, jobs: [aJob()] });
          await stateAdapter.createJobs({ context, jobs: [aJob()], andCommit });
          throw late;
        });
        await expect(transaction).rejects.toBe(late);
        expect([0, 2]).toContain((await steps.acquire({ limit: 10 })).length);
        // Nothing of it is in the way of the next.
        await runInTransaction((context) =>
          stateAdapter.createJobs({ context, jobs: [aJob()], andCommit }),
        );
        expect(await steps.acquire({ limit: 10 })).toHaveLength(1);
      },
    );
  },
);
