import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { createStateSteps } from "../steps.ts";
import { endedTransactionSuite } from "./run-in-transaction.ended.suite.ts";
import { settlesWithin, within } from "../waiting.ts";

const transactions: StateSuite = defineStateSuite("runInTransaction", (rule) => {
  rule("commits when it resolves", async ({ runInTransaction, stateAdapter, secondSteps }) => {
    const job = await runInTransaction((context) =>
      createStateSteps(stateAdapter, context).createOne(),
    );
    expect(await secondSteps.get(job)).toEqual(job);
  });

  rule("rolls back when it rejects", async ({ openTransaction, steps, stateAdapter }) => {
    const { id } = await steps.createOne();
    const running = await steps.acquireOne();
    const transaction = await openTransaction();
    const created = await transaction.steps.createOne();
    await transaction.steps.complete(running);
    await transaction.rollback();
    expect(await stateAdapter.getJobs({ ids: [created.id, id] })).toEqual([undefined, running]);
  });

  rule("The callback is never run twice.", async ({ runInTransaction }) => {
    let runs = 0;
    const transaction = runInTransaction(() => {
      runs += 1;
      return Promise.reject(new Error("once"));
    });
    await expect(transaction).rejects.toThrow("once");
    await runInTransaction(() => {
      runs += 1;
      return Promise.resolve();
    });
    expect(runs).toBe(2);
  });

  rule(
    "Resolves only after the commit is acknowledged.",
    async ({ runInTransaction, stateAdapter, secondSteps }) => {
      for (let round = 0; round < 20; round += 1) {
        const job = await runInTransaction((context) =>
          createStateSteps(stateAdapter, context).createOne(),
        );
        expect((await secondSteps.get(job)).id).toBe(job.id);
      }
    },
  );

  rule(
    "Rejects with the callback's error after a rollback.",
    async ({ runInTransaction, stateAdapter, secondStateAdapter }) => {
      const error = new Error("the callback's own");
      const ids: string[] = [];
      const transaction = runInTransaction(async (context) => {
        const { id } = await createStateSteps(stateAdapter, context).createOne();
        ids.push(id);
        throw error;
      });
      await expect(transaction).rejects.toBe(error);
      expect(ids).toHaveLength(1);
      expect(await secondStateAdapter.getJobs({ ids })).toEqual([undefined]);
    },
  );

  rule(
    "rejects with the error of the callback, also with a value that is not an Error",
    async ({ runInTransaction }) => {
      await expect(runInTransaction(() => Promise.reject("a string"))).rejects.toBe("a string");
      await expect(
        runInTransaction(() => {
          throw new TypeError("before any promise");
        }),
      ).rejects.toThrow(TypeError);
    },
  );

  rule("resolves with the result of the callback", async ({ runInTransaction }) => {
    const answer = { not: "copied" };
    expect(await runInTransaction(() => Promise.resolve(answer))).toBe(answer);
  });

  rule("transactions that failed leave the adapter usable", async ({ runInTransaction, steps }) => {
    for (let round = 0; round < 30; round += 1) {
      await runInTransaction(() => Promise.reject(new Error("no"))).catch(() => null);
    }
    expect((await steps.createOne()).status).toBe("pending");
  });

  rule("many at once all come to an end", async ({ runInTransaction, stateAdapter, steps }) => {
    await Promise.all(
      Array.from({ length: 40 }, () =>
        runInTransaction((context) => createStateSteps(stateAdapter, context).createOne()),
      ),
    );
    expect(await steps.acquire({ limit: 100 })).toHaveLength(40);
  });
});

const isolation: StateSuite = defineStateSuite("runInTransaction, isolation", (rule) => {
  rule(
    "`context` present: runs in that transaction and sees its uncommitted writes.",
    async ({ openTransaction, stateAdapter }) => {
      const { steps, context, commit } = await openTransaction();
      const root = await steps.createOne({ input: "1" });
      const waiting = await steps.createBlocked([root], { typeName: "waiting" });
      expect(await steps.get(root)).toEqual(root);
      expect((await steps.getSequence(root.id)).current).toEqual(root);
      const params = { context, limit: 10, afterOrdinal: null, order: "asc" } as const;
      const any = { rootSequenceId: null, createdFrom: null, createdTo: null } as const;
      const filter = { ...params, ...any, typeNames: null, statuses: null };
      const jobs = await stateAdapter.listJobs({ ...filter, sequenceId: null });
      expect(jobs.map(({ id }) => id)).toEqual([root.id, waiting.id]);
      expect(await stateAdapter.listSequences(filter)).toHaveLength(2);
      expect(await stateAdapter.getBlockers({ context, ids: [waiting.id] })).toMatchObject([
        [{ first: { id: root.id } }],
      ]);
      await commit();
    },
  );

  rule(
    "other connections do not see them before the commit",
    async ({ openTransaction, secondStateAdapter, capabilities, patienceMs }) => {
      const { steps, commit } = await openTransaction();
      const job = await steps.createOne();
      const reading = secondStateAdapter.getJobs({ ids: [job.id] });
      // A store that reads one after the other may return later, but not with uncommitted rows.
      if (await settlesWithin(reading, patienceMs(capabilities.concurrentWriters)))
        expect(await reading).toEqual([undefined]);
      await commit();
      await within(reading, "getJobs");
      expect(await secondStateAdapter.getJobs({ ids: [job.id] })).toEqual([job]);
    },
  );

  rule(
    "a read without its context does not wait for an open transaction of the same process",
    async ({ openTransaction, steps }) => {
      const job = await steps.createOne({ typeName: "earlier" });
      const transaction = await openTransaction();
      await transaction.steps.createOne();
      // A handler that forgets its context would otherwise wait for itself, for ever.
      expect(await within(steps.get(job), "getJobs without context", 3_000)).toEqual(job);
      await within(steps.getSequence(job.id), "getSequences without context");
      await transaction.commit();
    },
  );

  rule(
    "Absent: atomic by itself, and no part of an open transaction",
    async ({ openTransaction, steps, settlesOrWaits }) => {
      const transaction = await openTransaction();
      await transaction.steps.createOne({ typeName: "inside" });
      const outside = steps.createOne({ typeName: "outside" });
      await settlesOrWaits(outside);
      await transaction.rollback();
      const created = await within(outside, "createJobs without context");
      expect(await steps.get(created)).toEqual(created);
      expect(await steps.acquire({ typeName: "inside" })).toEqual([]);
    },
  );

  rule(
    "two transactions at once, as `capabilities.concurrentWriters` says",
    async ({ openTransaction, capabilities, patienceMs, secondStateAdapter, holdTransaction }) => {
      const first = await openTransaction();
      await first.steps.createOne({ typeName: "a" });
      const second = holdTransaction(secondStateAdapter, (steps) =>
        steps.createOne({ typeName: "b" }),
      );
      second.end("commit");
      const beside = await settlesWithin(second.done, patienceMs(capabilities.concurrentWriters));
      expect(beside).toBe(capabilities.concurrentWriters);
      await first.commit();
      expect((await within(second.done, "the second transaction"))?.typeName).toBe("b");
    },
  );

  rule(
    "a failed statement, as `capabilities.failedStatementAbortsTransaction` says",
    async ({ capabilities, poisonTransaction, openTransaction, steps, stateAdapter }) => {
      if (poisonTransaction === undefined) {
        // Only a store without statements can leave it out, and there nothing aborts.
        expect(capabilities.failedStatementAbortsTransaction).toBe(false);
        return;
      }
      const transaction = await openTransaction();
      const before = await transaction.steps.createOne();
      await poisonTransaction(transaction.context);
      // Nothing to do needs no statement.
      expect(await stateAdapter.createJobs({ context: transaction.context, jobs: [] })).toEqual([]);
      const after = transaction.steps.createOne();
      if (capabilities.failedStatementAbortsTransaction) await expect(after).rejects.toThrow();
      else expect((await after).status).toBe("pending");
      await transaction.rollback();
      expect(await stateAdapter.getJobs({ ids: [before.id] })).toEqual([undefined]);
      expect((await steps.createOne()).status).toBe("pending");
    },
  );
});

export const runInTransactionSuites: readonly StateSuite[] = [
  transactions,
  isolation,
  endedTransactionSuite,
];
