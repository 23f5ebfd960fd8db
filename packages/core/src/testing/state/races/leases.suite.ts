import { expect } from "vitest";
import type { StateJob } from "../../../model/state-job.ts";
import { minuteMs } from "../../factories.ts";
import { commitOrders, interleavings, nameInterleaving, race } from "../../race.ts";
import type { StateCaseContext } from "../../state-harness.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import type { StateSteps } from "../../steps.ts";
import { within } from "../../waiting.ts";

/** Every write a holder can make, and whether it says that the lease is lost. */
const writes: Readonly<Record<string, (steps: StateSteps, job: StateJob) => Promise<boolean>>> = {
  complete: async (steps, job) => (await steps.complete(job, '"zombie"')).kind === "lost",
  "complete with a continuation": async (steps, job) =>
    steps.continueWith(job).then(
      () => false,
      () => true,
    ),
  reschedule: async (steps, job) => (await steps.reschedule(job)).kind === "lost",
  fail: async (steps, job) => (await steps.fail(job)) === "lost",
  renew: async (steps, job) => (await steps.renew(job)).kind === "lost",
};

const expireAndTake = async (
  { steps }: StateCaseContext,
  workerId: string,
): Promise<{ readonly old: StateJob; readonly current: StateJob }> => {
  const old = await steps.createRunning({}, { workerId: "worker-1", leaseMs: 1 });
  await steps.untilExpired(old);
  return { old, current: await steps.acquireOne({ workerId }) };
};

const zombies: StateSuite = defineStateSuite("races, zombies", (rule) => {
  for (const [name, write] of Object.entries(writes)) {
    for (const workerId of ["worker-1", "worker-2"]) {
      const by = workerId === "worker-1" ? "the same worker" : "another worker";
      rule(`a zombie's ${name} changes nothing: taken by ${by}`, async (test) => {
        const { steps } = test;
        const { old, current } = await expireAndTake(test, workerId);
        expect(await write(steps, old)).toBe(true);
        expect(await steps.get(current)).toEqual(current);
        expect(await steps.acquire({ typeName: "next" })).toEqual([]);
      });
    }

    rule(`a zombie's ${name} changes nothing: reclaimed and given back`, async (test) => {
      const { steps, stateAdapter } = test;
      const old = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(old);
      await stateAdapter.reclaimExpiredLeases({ limit: 1 });
      const pending = await steps.get(old);
      expect(await write(steps, old)).toBe(true);
      expect(await steps.get(old)).toEqual(pending);
    });
  }

  rule(
    "a zombie in an open transaction loses to the worker that acquires the job after it",
    async (test) => {
      const { steps, secondSteps, openTransaction } = test;
      const old = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(old);
      const transaction = await openTransaction();
      await transaction.steps.get(old);
      const taking = secondSteps.acquire({ workerId: "worker-2" });
      await test.settlesOrWaits(taking);
      // Where there is one writer, the holder came first; where there are many, the taker did.
      const settled = transaction.steps.complete(old, '"zombie"').then(
        ({ kind }) => kind,
        (error: unknown) => {
          if (test.isTransactionConflict(error)) return "lost";
          throw error;
        },
      );
      const kind = await within(settled, "the zombie's completion");
      await transaction.commit().catch((error: unknown) => {
        if (!test.isTransactionConflict(error)) throw error;
      });
      const taken = await within(taking, "the taker");
      expect(taken).toHaveLength(kind === "completed" ? 0 : 1);
      const { status } = await steps.get(old);
      expect(status).toBe(kind === "completed" ? "completed" : "running");
    },
  );
});

const settlements: StateSuite = defineStateSuite("races, one settlement", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);
    const rolledBack = interleaving.firstEnds === "rollback";

    rule(`a completion without a worker against the worker's: ${order}`, async (test) => {
      const { steps } = test;
      const job = await steps.createRunning();
      const { first, second } = await race(test, {
        ...interleaving,
        first: (inside) => inside.completeWithoutWorker(job, '"outside"'),
        second: (inside) => inside.complete(job, '"worker"'),
      });
      const kinds = [first?.kind, second?.kind];
      expect(kinds.filter((kind) => kind === "completed")).toHaveLength(1);
      const output = second?.kind === "completed" ? '"worker"' : '"outside"';
      expect((await steps.get(job)).output).toBe(output);
      if (rolledBack) expect(second?.kind).toBe("completed");
    });

    rule(`the worker's completion against one without a worker: ${order}`, async (test) => {
      const { steps } = test;
      const job = await steps.createRunning();
      const { first, second } = await race(test, {
        ...interleaving,
        first: (inside) => inside.complete(job, '"worker"'),
        second: (inside) => inside.completeWithoutWorker(job, '"outside"'),
      });
      const kinds = [first?.kind, second?.kind];
      expect(kinds.filter((kind) => kind === "completed")).toHaveLength(1);
      const output = first?.kind === "completed" ? '"worker"' : '"outside"';
      expect((await steps.get(job)).output).toBe(output);
    });

    rule(`two continuations of one job make one next job: ${order}`, async (test) => {
      const { steps } = test;
      const job = await steps.createRunning();
      const next = async (inside: StateSteps) =>
        inside.continueWith(job).catch((error: unknown) => {
          if (test.isTransactionConflict(error)) throw error;
          return undefined;
        });
      await race(test, { ...interleaving, first: next, second: next });
      expect(await steps.acquire({ typeName: "next", limit: 5 })).toHaveLength(1);
      expect((await steps.getSequence(job.id)).current.position).toBe(1);
    });

    rule(`a completion against the deletion of its sequence: ${order}`, async (test) => {
      const { steps, secondStateAdapter, stateAdapter } = test;
      const job = await steps.createRunning();
      const rootSequenceIds = [job.id];
      await race(test, {
        ...interleaving,
        first: (inside) => inside.complete(job),
        second: (_inside, context) =>
          secondStateAdapter.deleteSequences({ context, rootSequenceIds }),
      });
      expect(await stateAdapter.getJobs({ ids: [job.id] })).toEqual([undefined]);
    });

    rule(`the deletion of a sequence against a completion in it: ${order}`, async (test) => {
      const { steps, stateAdapter } = test;
      const job = await steps.createRunning();
      const rootSequenceIds = [job.id];
      const { second } = await race(test, {
        ...interleaving,
        first: (_inside, context) => stateAdapter.deleteSequences({ context, rootSequenceIds }),
        second: (inside) => inside.complete(job),
      });
      const [left] = await stateAdapter.getJobs({ ids: [job.id] });
      if (rolledBack) expect(left?.status).toBe("completed");
      else expect(left).toBeUndefined();
      if (second?.kind === "lost") expect(second.reason).toBe("not_found");
    });

    rule(
      `a continuation against the deletion of its sequence leaves no orphan: ${order}`,
      async (test) => {
        const { steps, secondStateAdapter } = test;
        const job = await steps.createRunning();
        const rootSequenceIds = [job.id];
        await race(test, {
          ...interleaving,
          first: (inside) => inside.continueWith(job),
          second: (_inside, context) =>
            secondStateAdapter.deleteSequences({ context, rootSequenceIds }),
        });
        expect(await steps.acquire({ typeName: "next" })).toEqual([]);
      },
    );

    rule(`a dependant added while its blocker is deleted: ${order}`, async (test) => {
      const { steps, stateAdapter, runInTransaction } = test;
      const blocker = await steps.createOne({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true });
      const rootSequenceIds = [blocker.id];
      const { second } = await race(test, {
        ...interleaving,
        first: (_inside, context) => stateAdapter.deleteSequences({ context, rootSequenceIds }),
        second: (_inside, context) =>
          test.secondStateAdapter.addBlockers({
            context,
            jobs: [{ jobId: id, blockerSequenceIds: [blocker.id] }],
          }),
      });
      const [stillThere] = await stateAdapter.getJobs({ ids: [blocker.id] });
      // Either it waits for the existing sequence, or the call reported it as missing.
      if (stillThere === undefined) expect(second?.[0]?.missing).toEqual([blocker.id]);
      else {
        expect(second?.[0]).toMatchObject({ missing: [], job: { status: "blocked" } });
        const result = await runInTransaction((context) =>
          stateAdapter.deleteSequences({ context, rootSequenceIds }),
        );
        expect(result.kind).toBe("blocking");
      }
    });
  }

  for (const order of commitOrders) {
    rule(`two failures of one job count once: ${nameInterleaving(order)}`, async (test) => {
      const { steps } = test;
      const job = await steps.createRunning();
      const { first, second } = await race(test, {
        ...order,
        first: (inside) => inside.fail(job, "1"),
        second: (inside) => inside.fail(job, "2"),
      });
      expect([first, second].sort()).toEqual(["failed", "lost"]);
      expect((await steps.get(job)).lastAttemptError).toBe(first === "failed" ? "1" : "2");
    });
  }
});

const maintenance: StateSuite = defineStateSuite("races, maintenance re-checks", (rule) => {
  rule("a reclaim against a completion: a completed job stays completed", async (test) => {
    const { steps, secondStateAdapter, holdTransaction, stateAdapter } = test;
    for (const firstEnds of ["commit", "rollback"] as const) {
      const job = await steps.createRunning({ typeName: firstEnds }, { leaseMs: 1 });
      await steps.untilExpired(job);
      const holder = holdTransaction(stateAdapter, (inside) => inside.complete(job, '"mine"'));
      await within(holder.operated, "the completion");
      const reclaiming = secondStateAdapter.reclaimExpiredLeases({ limit: 10 });
      await test.settlesOrWaits(reclaiming);
      holder.end(firstEnds);
      await within(holder.done, "the holder's end");
      const reclaimed = await within(reclaiming, "reclaimExpiredLeases");
      const read = await steps.get(job);
      if (firstEnds === "commit") {
        expect(reclaimed).toEqual([]);
        expect(read).toMatchObject({ status: "completed", output: '"mine"' });
      } else {
        expect(read.status).toBe(reclaimed.length === 1 ? "pending" : "running");
      }
    }
  });

  rule("a renewal against a reclaim: one of them has the job", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const count = 30;
    await steps.create(...Array.from({ length: count }, () => ({})));
    const running = (await steps.acquire({ limit: count, leaseMs: 1 })).map(({ job }) => job);
    await steps.untilExpired(running[count - 1] ?? { id: "" });
    const [reclaimed, checks] = await Promise.all([
      secondStateAdapter.reclaimExpiredLeases({ limit: count }),
      stateAdapter.renewLeases({
        leases: running.map(({ id, leaseVersion }) => ({
          jobId: id,
          leaseVersion,
          leaseMs: minuteMs,
        })),
      }),
    ]);
    const gone = new Set(reclaimed.map(({ id }) => id));
    for (const [index, { id }] of running.entries()) {
      const { status } = await steps.get({ id });
      expect(status).toBe(gone.has(id) ? "pending" : "running");
      // "Held" may have been true just before the reclaim took it; "lost" is never said of a job still held.
      if (checks[index]?.kind === "lost") expect(gone.has(id)).toBe(true);
    }
  });

  rule("clean-up leaves a tree that comes to life again", async (test) => {
    const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
    for (const firstEnds of ["commit", "rollback"] as const) {
      const failed = await steps.createFailed({ typeName: firstEnds });
      await steps.untilStoreTime(failed.finishedAt ?? new Date(0));
      const holder = holdTransaction(stateAdapter, (_inside, context) =>
        stateAdapter.retryFailedJobs({ context, ids: [failed.id] }),
      );
      await within(holder.operated, "the retry");
      const ages = { completedForMs: 0, failedForMs: 0, cancelledForMs: 0, limit: 10 };
      const deleting = secondStateAdapter.deleteFinishedSequences(ages);
      await test.settlesOrWaits(deleting);
      holder.end(firstEnds);
      await within(holder.done, "the holder's end");
      await within(deleting, "deleteFinishedSequences");
      if (firstEnds === "commit") expect((await steps.get(failed)).status).toBe("pending");
    }
  });

  rule("retention leaves a finished sequence that a job begins to wait for", async (test) => {
    const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
    const blocker = await steps.createCompleted({ typeName: "blocker" }, '"kept"');
    await steps.untilStoreTime(blocker.finishedAt ?? new Date(0));
    const holder = holdTransaction(stateAdapter, (inside) => inside.createBlocked([blocker]));
    await within(holder.operated, "the new dependant");
    const ages = { completedForMs: 0, failedForMs: 0, cancelledForMs: 0, limit: 10 };
    const deleting = secondStateAdapter.deleteFinishedSequences(ages);
    await test.settlesOrWaits(deleting);
    holder.end("commit");
    await within(holder.done, "the holder's end");
    await within(deleting, "deleteFinishedSequences");
    const [taken] = await steps.acquire();
    expect(taken?.blockers.map(({ current }) => current.output)).toEqual(['"kept"']);
  });
});

export const leaseRaceSuites: readonly StateSuite[] = [zombies, settlements, maintenance];
