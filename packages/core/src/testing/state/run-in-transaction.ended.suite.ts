import { expect } from "vitest";
import type { AnyStateAdapter, BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import { aJob } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

type Write = (
  adapter: AnyStateAdapter,
  context: BaseStateAdapterContext,
  jobId: string,
) => Promise<unknown>;

const leaseVersion = 1;

/** Every method that writes with a context. */
const writes: Readonly<Record<string, Write>> = {
  createJobs: (adapter, context) => adapter.createJobs({ context, jobs: [aJob()] }),
  addBlockers: (adapter, context, jobId) =>
    adapter.addBlockers({ context, jobs: [{ jobId, blockerSequenceIds: [] }] }),
  completeJobs: (adapter, context, jobId) => {
    const outcome = { kind: "output", output: "1" } as const;
    const completions = [{ jobId, leaseVersion, outcome }];
    return adapter.completeJobs({ context, workerId: "w", completions });
  },
  rescheduleJobs: (adapter, context, jobId) => {
    const jobs = [{ jobId, leaseVersion, schedule: null, error: null, countsAttempt: true }];
    return adapter.rescheduleJobs({ context, jobs });
  },
  failJobs: (adapter, context, jobId) =>
    adapter.failJobs({ context, jobs: [{ jobId, leaseVersion, error: "x" }] }),
  retryFailedJobs: (adapter, context, jobId) => adapter.retryFailedJobs({ context, ids: [jobId] }),
  updateJobs: (adapter, context, jobId) => {
    const none = { input: null, schedule: null, dueWithinMs: null };
    return adapter.updateJobs({ context, jobs: [{ id: jobId, priority: 1, ...none }] });
  },
  triggerJobs: (adapter, context, jobId) => adapter.triggerJobs({ context, ids: [jobId] }),
  lockSequences: (adapter, context, jobId) => adapter.lockSequences({ context, ids: [jobId] }),
  deleteSequences: (adapter, context, jobId) =>
    adapter.deleteSequences({ context, rootSequenceIds: [jobId] }),
};

const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };
const rollBack = new Error("rolled back on purpose");

export const endedTransactionSuite: StateSuite = defineStateSuite(
  "runInTransaction, ended",
  (rule) => {
    for (const [method, write] of Object.entries(writes)) {
      rule(
        `${method} refuses the context of a transaction that has ended`,
        async ({ stateAdapter, openTransaction, steps }) => {
          const { id } = await steps.createFailed();
          for (const end of ["commit", "rollback"] as const) {
            const { context, [end]: ended } = await openTransaction();
            await ended();
            await expect(write(stateAdapter, context, id)).rejects.toMatchObject(refusal);
          }
          expect((await steps.get({ id })).status).toBe("failed");
        },
      );
    }

    rule(
      "a write with the context of an ended transaction does not join the next one",
      async ({ stateAdapter, openTransaction, steps }) => {
        const first = await openTransaction();
        await first.rollback();
        const next = await openTransaction();
        const { id } = await next.steps.createOne();
        const late = stateAdapter.createJobs({ context: first.context, jobs: [aJob()] });
        await expect(late).rejects.toMatchObject(refusal);
        await next.commit();
        expect((await steps.acquire({ limit: 10 })).map(({ job }) => job.id)).toEqual([id]);
      },
    );

    rule(
      "a write that is not awaited is rolled back with its transaction, or refused",
      async ({ runInTransaction, stateAdapter, steps }) => {
        const creating: Promise<unknown>[] = [];
        const transaction = runInTransaction((context) => {
          creating.push(stateAdapter.createJobs({ context, jobs: [aJob()] }));
          return Promise.reject(rollBack);
        });
        const [outcome] = await Promise.allSettled([transaction]);
        expect(outcome).toEqual({ status: "rejected", reason: rollBack });
        const [created] = await Promise.allSettled(creating);
        if (created?.status === "rejected") expect(created.reason).toMatchObject(refusal);
        expect(await steps.acquire({ limit: 10 })).toEqual([]);
      },
    );

    rule(
      "a transaction that the user has begun and rolled back",
      async ({ stateAdapter, beginUsersTransaction, steps }) => {
        if (beginUsersTransaction === undefined) {
          // The store accepts only contexts of its own transactions.
          const { id } = await steps.createOne();
          const locking = stateAdapter.provideContext((context) =>
            stateAdapter.lockSequences({ context, ids: [id] }),
          );
          await expect(locking).rejects.toMatchObject(refusal);
          return;
        }
        const { context, rollBack: rollBackUsers } = await beginUsersTransaction();
        await stateAdapter.createJobs({ context, jobs: [aJob()] });
        await rollBackUsers();
        expect(await stateAdapter.isInTransaction(context)).toBe(false);
        const late = stateAdapter.createJobs({ context, jobs: [aJob()] });
        await expect(late).rejects.toMatchObject(refusal);
        expect(await steps.acquire({ limit: 10 })).toEqual([]);
      },
    );
  },
);
