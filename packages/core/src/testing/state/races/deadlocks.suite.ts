import { expect } from "vitest";
import { aContinuation, aJob, aKey, minuteMs } from "../../factories.ts";
import { oneOf, seededRandom, shuffled } from "../../random.ts";
import type { StateCaseContext } from "../../state-harness.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { within } from "../../waiting.ts";

const transactions = 24;
const rows = 12;
const probeMs = 25_000;

/** Runs operations in transactions of their own, all at once, and expects all of them to come to an end. */
const allAtOnce = async (
  { stateAdapter, secondStateAdapter, holdTransaction }: StateCaseContext,
  operation: (context: object, adapter: typeof stateAdapter, index: number) => Promise<unknown>,
): Promise<void> => {
  const ends = Array.from({ length: transactions }, (_, index) => {
    const adapter = index % 2 === 0 ? stateAdapter : secondStateAdapter;
    const held = holdTransaction(adapter, (_steps, context) => operation(context, adapter, index));
    held.end("commit");
    return held.done;
  });
  await within(Promise.all(ends), `${transactions} transactions over the same rows`, probeMs);
};

export const deadlockSuite: StateSuite = defineStateSuite("races, no deadlock", (rule) => {
  rule(
    "Several rows are locked in one order (by id), for any order of the arguments: keys",
    async (test) => {
      const random = seededRandom(test.seed);
      const keys = Array.from({ length: rows }, (_, index) => `k${index}`);
      await allAtOnce(test, (context, adapter) =>
        adapter.createJobs({
          context,
          jobs: shuffled(keys, random).map((key) => aJob({ deduplication: aKey(key) })),
        }),
      );
      expect(await test.steps.acquire({ limit: 1_000 })).toHaveLength(rows);
    },
  );

  rule("blockers of many new jobs, in any order", async (test) => {
    const { steps, stateAdapter } = test;
    const random = seededRandom(test.seed);
    const blockers = await steps.create(
      ...Array.from({ length: rows }, () => ({ typeName: "blocker" })),
    );
    const waiting = await steps.create(
      ...Array.from({ length: transactions }, () => ({ awaitsBlockers: true })),
    );
    await allAtOnce(test, (context, adapter, index) =>
      adapter.addBlockers({
        context,
        jobs: [
          {
            jobId: waiting[index]?.id ?? "",
            blockerSequenceIds: shuffled(blockers, random).map(({ id }) => id),
          },
        ],
      }),
    );
    const lists = await stateAdapter.getBlockers({ ids: waiting.map(({ id }) => id) });
    expect(lists.map((list) => list.length)).toEqual(waiting.map(() => rows));
  });

  rule("completions of the same jobs, their dependants shared, in any order", async (test) => {
    const { steps, runInTransaction, stateAdapter } = test;
    const random = seededRandom(test.seed);
    await steps.create(...Array.from({ length: rows }, () => ({ typeName: "blocker" })));
    const running = (await steps.acquire({ typeName: "blocker", limit: rows })).map(
      ({ job }) => job,
    );
    const waiting = await steps.create(
      ...Array.from({ length: rows }, () => ({ awaitsBlockers: true })),
    );
    await runInTransaction((context) =>
      stateAdapter.addBlockers({
        context,
        jobs: waiting.map(({ id }) => ({
          jobId: id,
          blockerSequenceIds: shuffled(running, random).map((blocker) => blocker.id),
        })),
      }),
    );
    await allAtOnce(test, (context, adapter) =>
      adapter.completeJobs({
        context,
        workerId: "w",
        completions: shuffled(running, random)
          .slice(0, rows / 2)
          .map(({ id, leaseVersion }) => ({
            jobId: id,
            leaseVersion,
            outcome: { kind: "output", output: "1" },
          })),
      }),
    );
    await stateAdapter.completeJobs({
      workerId: "w",
      completions: running.map(({ id, leaseVersion }) => ({
        jobId: id,
        leaseVersion,
        outcome: { kind: "output", output: "1" },
      })),
    });
    expect(await steps.acquire({ limit: 1_000 })).toHaveLength(rows);
  });

  rule(
    "locks, continuations, retries, failures and deletions over the same sequences",
    async (test) => {
      const { steps } = test;
      const random = seededRandom(test.seed);
      await steps.create(...Array.from({ length: rows }, () => ({ typeName: "blocker" })));
      const running = (await steps.acquire({ typeName: "blocker", limit: rows })).map(
        ({ job }) => job,
      );
      for (const blocker of running) {
        await steps.createBlocked([blocker, oneOf(running, random)], { onBlockerFailure: "fail" });
      }
      await allAtOnce(test, (context, adapter, index) => {
        const some = shuffled(running, random).slice(0, rows / 2);
        const ids = some.map(({ id }) => id);
        const lease = ({ id, leaseVersion }: (typeof some)[number]) => ({
          jobId: id,
          leaseVersion,
        });
        const operations = [
          () => adapter.lockSequences({ context, ids }),
          () => adapter.triggerJobs({ context, ids }),
          () => adapter.retryFailedJobs({ context, ids }),
          () =>
            adapter.failJobs({ context, jobs: some.map((job) => ({ ...lease(job), error: "x" })) }),
          () =>
            adapter.rescheduleJobs({
              context,
              jobs: some.map((job) => ({
                ...lease(job),
                schedule: null,
                countsAttempt: true,
                error: null,
              })),
            }),
          () =>
            adapter.completeJobs({
              context,
              workerId: "w",
              completions: some.map((job) => ({
                ...lease(job),
                outcome: { kind: "continuation", job: aContinuation(job) },
              })),
            }),
          () => adapter.deleteSequences({ context, rootSequenceIds: ids }),
        ];
        return operations[index % operations.length]?.() ?? Promise.resolve();
      });
      expect((await steps.createOne()).status).toBe("pending");
    },
  );

  rule("acquisition, renewal and reclaim beside transactions over the same jobs", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const random = seededRandom(test.seed);
    await steps.create(...Array.from({ length: 60 }, () => ({})));
    const types = [{ typeName: "task", limit: 10, leaseMs: 1 }];
    const beside = Array.from({ length: 12 }, async () => {
      for (let round = 0; round < 5; round += 1) {
        const adapter = random() < 0.5 ? stateAdapter : secondStateAdapter;
        const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
        const leases = shuffled(jobs, random).map(({ job: { id, leaseVersion } }) => ({
          jobId: id,
          leaseVersion,
          leaseMs: random() < 0.5 ? 1 : minuteMs,
        }));
        await adapter.renewLeases({ leases });
        await adapter.reclaimExpiredLeases({ limit: 5 });
      }
    });
    const all = await stateAdapter.listJobs({
      order: "asc",
      limit: 60,
      afterOrdinal: null,
      typeNames: null,
      statuses: null,
      sequenceId: null,
      rootSequenceId: null,
      createdFrom: null,
      createdTo: null,
    });
    await allAtOnce(test, (context, adapter) =>
      adapter.completeJobs({
        context,
        workerId: null,
        completions: shuffled(all, random)
          .slice(0, 5)
          .map(({ id }) => ({
            jobId: id,
            leaseVersion: null,
            outcome: { kind: "output", output: "1" },
          })),
      }),
    );
    await within(Promise.all(beside), "the calls beside the transactions", probeMs);
  });
});
