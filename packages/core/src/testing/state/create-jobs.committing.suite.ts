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
      "`onCommitted` is called if it has, once, before it answers: from then on everybody sees the jobs.",
      async ({ stateAdapter, runInTransaction, steps }) => {
        const andCommit = stateAdapter.capabilities.createsAndCommits === true;
        const seen: Promise<unknown>[] = [];
        let answered = 0;
        const look = async (): Promise<number> => {
          expect(answered).toBe(0);
          return (await steps.acquire({ limit: 10 })).length;
        };
        await runInTransaction(async (context) => {
          const jobs = [aJob()];
          const onCommitted = (): void => void seen.push(look());
          answered += (await stateAdapter.createJobs({ context, jobs, andCommit, onCommitted }))
            .length;
        });
        expect(answered).toBe(1);
        expect(seen.length).toBeLessThanOrEqual(andCommit ? 1 : 0);
        for (const counts of await Promise.all(seen)) expect(counts).toBe(1);
        // What is not stored has not been committed.
        const refused = runInTransaction(async (context) => {
          const onCommitted = (): void => void seen.push(look());
          await stateAdapter.createJobs({ context, jobs: [aJob()], onCommitted });
          throw new Error("rolled back");
        });
        await expect(refused).rejects.toThrow("rolled back");
        expect(seen.length).toBeLessThanOrEqual(1);
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
