import { expect } from "vitest";
import { jobs } from "../../factories.ts";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import type { StateJob } from "../../../model/state-job.ts";
import type { TransactionOperation } from "../../open-transaction.ts";
import type { StateCaseContext } from "../../state-harness.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { only } from "../../steps.ts";

const addBlocker =
  (jobId: string, blockerId: string): TransactionOperation<StateJob> =>
  async (_steps, context, adapter) => {
    const added = [{ jobId, blockerSequenceIds: [blockerId] }];
    return only(await adapter.addBlockers({ context, jobs: added })).job;
  };

const addBlockerAgain = (
  { runInTransaction, stateAdapter, steps }: StateCaseContext,
  jobId: string,
  blockerId: string,
) => runInTransaction((context) => addBlocker(jobId, blockerId)(steps, context, stateAdapter));

/** Released exactly once: pending, and taken by one acquisition. */
const expectReleased = async ({ steps }: StateCaseContext, id: string): Promise<void> => {
  expect((await steps.get({ id })).status).toBe("pending");
  expect((await steps.acquire({ limit: 5 })).map(({ job }) => job.id)).toEqual([id]);
};

const completing: StateSuite = defineStateSuite(
  "races, blockers that complete together",
  (rule) => {
    for (const interleaving of interleavings) {
      rule(
        `also when two of their blockers end at the same instant in two transactions: ${nameInterleaving(interleaving)}`,
        async (test) => {
          const { steps } = test;
          const b1 = await steps.createRunning({ typeName: "b1" });
          const b2 = await steps.createRunning({ typeName: "b2" });
          const { id } = await steps.createBlocked([b1, b2]);
          await race(test, {
            ...interleaving,
            first: (inside) => inside.complete(b1),
            second: (inside) => inside.complete(b2),
          });
          if (interleaving.firstEnds === "rollback") {
            expect((await steps.get({ id })).status).toBe("blocked");
            await steps.complete(b1);
          }
          await expectReleased(test, id);
        },
      );
    }

    rule(
      "forty jobs with two blockers each, all completed at once by two adapters",
      async (test) => {
        const { steps, stateAdapter, secondStateAdapter } = test;
        const count = 40;
        for (const typeName of ["b1", "b2"]) {
          await steps.create(...Array.from({ length: count }, () => ({ typeName })));
        }
        const left = (await steps.acquire({ typeName: "b1", limit: count })).map(({ job }) => job);
        const right = (await steps.acquire({ typeName: "b2", limit: count })).map(({ job }) => job);
        await test.runInTransaction(async (context) => {
          const created = await stateAdapter.createJobs({
            context,
            jobs: jobs(count, { awaitsBlockers: true }),
          });
          await stateAdapter.addBlockers({
            context,
            jobs: created.map(({ job }, index) => ({
              jobId: job.id,
              blockerSequenceIds: [left[index]?.id ?? "", right[index]?.id ?? ""],
            })),
          });
        });
        const complete = (
          adapter: typeof stateAdapter,
          job: { id: string; leaseVersion: number },
        ) =>
          adapter.completeJobs({
            workerId: "w",
            completions: [
              {
                jobId: job.id,
                leaseVersion: job.leaseVersion,
                outcome: { kind: "output", output: "1" },
              },
            ],
          });
        const completions = await Promise.all([
          ...left.map((job) => complete(stateAdapter, job)),
          ...right.map((job) => complete(secondStateAdapter, job)),
        ]);
        expect(completions.flatMap(({ results }) => results.map(({ kind }) => kind))).toEqual(
          Array.from({ length: 2 * count }, () => "completed"),
        );
        expect(completions.flatMap(({ unblocked }) => unblocked)).toHaveLength(count);
        expect(await steps.acquire({ limit: 2 * count })).toHaveLength(count);
      },
    );
  },
);

const adding: StateSuite = defineStateSuite("races, blockers that are being added", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);

    rule(
      `A blocker that completes at the same time in another transaction releases the job: ${order}`,
      async (test) => {
        const { steps } = test;
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const { id } = await steps.createOne({ awaitsBlockers: true });
        await race(test, {
          ...interleaving,
          first: (inside) => inside.complete(blocker),
          second: addBlocker(id, blocker.id),
        });
        if (interleaving.firstEnds === "rollback") {
          expect((await steps.get({ id })).status).toBe("blocked");
          await steps.complete(blocker);
        }
        await expectReleased(test, id);
      },
    );

    rule(`whichever of the two commits last sees the other: ${order}`, async (test) => {
      const { steps, stateAdapter } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true });
      await race(test, {
        ...interleaving,
        first: addBlocker(id, blocker.id),
        second: (inside) => inside.complete(blocker),
      });
      if (interleaving.firstEnds === "rollback") {
        expect((await steps.get({ id })).status).toBe("blocked");
        expect(await stateAdapter.getBlockers({ ids: [id] })).toEqual([[]]);
        await addBlockerAgain(test, id, blocker.id);
      }
      await expectReleased(test, id);
    });

    rule(`a dependant created and blocked in one transaction: ${order}`, async (test) => {
      const { steps } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { first } = await race(test, {
        ...interleaving,
        first: (inside) => inside.createBlocked([blocker]),
        second: (inside) => inside.complete(blocker),
      });
      const { id } = first ?? (await steps.createBlocked([blocker]));
      await expectReleased(test, id);
    });

    rule(`Also while the blocker's sequence is being continued: ${order}`, async (test) => {
      const { steps } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.continueWith(blocker),
        second: addBlocker(id, blocker.id),
      });
      // The sequence goes on: the job must not start.
      expect((await steps.get({ id })).status).toBe("blocked");
      if (interleaving.firstEnds === "rollback") await steps.continueWith(blocker);
      await steps.complete(await steps.acquireOne({ typeName: "next" }));
      await expectReleased(test, id);
    });

    rule(`a blocker added before its sequence is continued: ${order}`, async (test) => {
      const { steps } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true });
      await race(test, {
        ...interleaving,
        first: addBlocker(id, blocker.id),
        second: (inside) => inside.continueWith(blocker),
      });
      if (interleaving.firstEnds === "rollback") {
        await addBlockerAgain(test, id, blocker.id);
      }
      expect((await steps.get({ id })).status).toBe("blocked");
      await steps.complete(await steps.acquireOne({ typeName: "next" }));
      await expectReleased(test, id);
    });
  }
});

const failing: StateSuite = defineStateSuite("races, blockers that fail", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);

    rule(`a dependant added while its blocker fails is failed: ${order}`, async (test) => {
      const { steps } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true, onBlockerFailure: "fail" });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.fail(blocker),
        second: addBlocker(id, blocker.id),
      });
      if (interleaving.firstEnds === "rollback") await steps.fail(blocker);
      expect((await steps.get({ id })).status).toBe("failed");
    });

    rule(`one blocker fails while the other completes: ${order}`, async (test) => {
      const { steps } = test;
      const completes = await steps.createRunning({ typeName: "b1" });
      const fails = await steps.createRunning({ typeName: "b2" });
      const { id } = await steps.createBlocked([completes, fails], { onBlockerFailure: "fail" });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.complete(completes),
        second: (inside) => inside.fail(fails),
      });
      expect((await steps.get({ id })).status).toBe("failed");
    });

    rule(`a dependant retried while its blocker fails again is failed: ${order}`, async (test) => {
      const { steps, stateAdapter, secondStateAdapter } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
      await steps.fail(blocker);
      await stateAdapter.retryFailedJobs({ ids: [blocker.id] });
      const again = await steps.acquireOne({ typeName: "blocker" });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.fail(again),
        second: (_inside, context) => secondStateAdapter.retryFailedJobs({ context, ids: [id] }),
      });
      if (interleaving.firstEnds === "rollback") await steps.fail(again);
      expect((await steps.get({ id })).status).toBe("failed");
      const third = await steps.createRunning({ typeName: "third" });
      const other = await steps.createBlocked([third], { onBlockerFailure: "fail" });
      await steps.fail(third);
      await stateAdapter.retryFailedJobs({ ids: [third.id] });
      const thirdAgain = await steps.acquireOne({ typeName: "third" });
      await race(test, {
        ...interleaving,
        first: (_inside, context) => stateAdapter.retryFailedJobs({ context, ids: [other.id] }),
        second: (inside) => inside.fail(thirdAgain),
      });
      expect((await steps.get(other)).status).toBe("failed");
    });

    rule(`a dependant retried while its blocker completes is released: ${order}`, async (test) => {
      const { steps, stateAdapter } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
      await steps.fail(blocker);
      await stateAdapter.retryFailedJobs({ ids: [blocker.id] });
      const again = await steps.acquireOne({ typeName: "blocker" });
      const retry = (context: object) =>
        test.secondStateAdapter.retryFailedJobs({ context, ids: [id] });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.complete(again),
        second: (_inside, context) => retry(context),
      });
      if (interleaving.firstEnds === "rollback") await steps.complete(again);
      await expectReleased(test, id);
    });
  }
});

export const blockerRaceSuites: readonly StateSuite[] = [completing, adding, failing];
