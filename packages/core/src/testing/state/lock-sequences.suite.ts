import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";
import { graceMs, settlesWithin, within } from "../waiting.ts";

export const lockSequencesSuite: StateSuite = defineStateSuite("lockSequences", (rule) => {
  rule(
    "returns the sequences, in the same order",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const first = await steps.createRunning({ typeName: "first" });
      const next = await steps.continueWith(first);
      const other = await steps.createOne({ typeName: "other" });
      const locked = await runInTransaction((context) =>
        stateAdapter.lockSequences({ context, ids: [other.id, first.id] }),
      );
      expect(locked).toEqual([
        { first: other, current: other },
        { first: await steps.get(first), current: next },
      ]);
    },
  );

  rule(
    "Undefined for a sequence that does not exist.",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const first = await steps.createRunning();
      const second = await steps.continueWith(first);
      const ids = [await steps.absentId(), first.id, second.id];
      const locked = await runInTransaction((context) =>
        stateAdapter.lockSequences({ context, ids }),
      );
      expect(locked.map((sequence) => sequence?.first.id)).toEqual([
        undefined,
        first.id,
        undefined,
      ]);
    },
  );

  rule(
    "Locks the current job of each sequence until the transaction ends",
    async ({ steps, stateAdapter, openTransaction, holdTransaction, secondStateAdapter }) => {
      const job = await steps.createRunning();
      const transaction = await openTransaction();
      await stateAdapter.lockSequences({ context: transaction.context, ids: [job.id] });
      const completing = holdTransaction(secondStateAdapter, (inside) => inside.complete(job));
      completing.end("commit");
      expect(await settlesWithin(completing.done, graceMs)).toBe(false);
      await transaction.commit();
      const result = await within(completing.done, "the completion after the lock");
      expect(result).toMatchObject({ kind: "completed" });
    },
  );

  rule(
    "The returned sequence is current: if it is continued while waiting for the lock, it has its new last job.",
    async (test) => {
      const { steps, openTransaction, holdTransaction, secondStateAdapter } = test;
      const first = await steps.createRunning();
      const transaction = await openTransaction();
      const next = await transaction.steps.continueWith(first);
      const locking = holdTransaction(secondStateAdapter, (_steps, context) =>
        secondStateAdapter.lockSequences({ context, ids: [first.id] }),
      );
      locking.end("commit");
      await test.settlesOrWaits(locking.done);
      await transaction.commit();
      const locked = await within(locking.done, "lockSequences");
      expect(only(locked ?? [])?.current.id).toBe(next.id);
    },
  );

  rule("a continued sequence is locked at its new last job", async (test) => {
    const { steps, openTransaction, holdTransaction, stateAdapter, secondStateAdapter } = test;
    const first = await steps.createRunning();
    const transaction = await openTransaction();
    const next = await transaction.steps.continueWith(first);
    const locking = holdTransaction(secondStateAdapter, (_steps, context) =>
      secondStateAdapter.lockSequences({ context, ids: [first.id] }),
    );
    await test.settlesOrWaits(locking.operated);
    await transaction.commit();
    await within(locking.operated, "lockSequences");
    const completing = holdTransaction(stateAdapter, (inside) =>
      inside.completeWithoutWorker(next),
    );
    completing.end("commit");
    expect(await settlesWithin(completing.done, graceMs)).toBe(false);
    locking.end("commit");
    await within(completing.done, "the completion after the lock");
    expect((await steps.get(next)).status).toBe("completed");
  });

  rule(
    "an acquisition passes over a locked job and finds it after the lock",
    async ({ steps, secondSteps, stateAdapter, openTransaction, capabilities, patienceMs }) => {
      const job = await steps.createOne();
      const transaction = await openTransaction();
      await stateAdapter.lockSequences({ context: transaction.context, ids: [job.id] });
      const acquiring = secondSteps.acquire();
      const waited = !(await settlesWithin(acquiring, patienceMs(capabilities.concurrentWriters)));
      if (capabilities.concurrentWriters) expect(waited).toBe(false);
      await transaction.commit();
      const during = await within(acquiring, "acquireJobs");
      const after = await steps.acquire();
      expect([...during, ...after].map((each) => each.job.id)).toEqual([job.id]);
    },
  );

  rule("finished sequences can be locked", async ({ steps, stateAdapter, runInTransaction }) => {
    const completed = await steps.createCompleted({ typeName: "completed" });
    const failed = await steps.createFailed({ typeName: "failed" });
    const locked = await runInTransaction((context) =>
      stateAdapter.lockSequences({ context, ids: [completed.id, failed.id] }),
    );
    expect(locked.map((each) => each?.current.status)).toEqual(["completed", "failed"]);
  });

  rule("an empty array is answered with one", async ({ stateAdapter, runInTransaction }) => {
    const locked = await runInTransaction((context) =>
      stateAdapter.lockSequences({ context, ids: [] }),
    );
    expect(locked).toEqual([]);
  });
});
