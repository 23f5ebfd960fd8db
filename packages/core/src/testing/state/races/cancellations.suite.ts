import { expect } from "vitest";
import { blockerCancelledError } from "../../../adapter-kit/stored-texts.ts";
import type { StateJob } from "../../../model/state-job.ts";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { only, type StateSteps } from "../../steps.ts";
import { eventually, within } from "../../waiting.ts";

/** Whether the write of the attempt was stored. */
const settlements: Readonly<
  Record<string, (steps: StateSteps, job: StateJob) => Promise<boolean>>
> = {
  completion: async (steps, job) => (await steps.complete(job)).kind === "completed",
  "completion without a worker": async (steps, job) =>
    (await steps.completeWithoutWorker(job)).kind === "completed",
  failure: async (steps, job) => (await steps.fail(job)) === "failed",
};

const wasCancelled = async (steps: StateSteps, job: StateJob): Promise<boolean> => {
  const result = await steps.cancel([job]);
  return result.kind === "cancelled" && result.jobs.length === 1;
};

const againstSettlement: StateSuite = defineStateSuite(
  "races, cancellation against settlement",
  (rule) => {
    for (const interleaving of interleavings) {
      const order = nameInterleaving(interleaving);
      const rolledBack = interleaving.firstEnds === "rollback";

      for (const [name, settle] of Object.entries(settlements)) {
        rule(
          `Completed, continued or failed at the same time in another transaction: a cancellation, then a ${name}: ${order}`,
          async (test) => {
            const { steps } = test;
            const job = await steps.createRunning();
            const { first, second } = await race(test, {
              ...interleaving,
              first: (inside) => wasCancelled(inside, job),
              second: (inside) => settle(inside, job),
            });
            expect([first, second].filter((stored) => stored === true)).toHaveLength(1);
            const { status } = await steps.get(job);
            if (second === true) expect(status).not.toBe("cancelled");
            else expect(status).toBe("cancelled");
            if (rolledBack) expect(second).toBe(true);
            expect(await steps.acquire()).toEqual([]);
          },
        );

        rule(
          `Completed, continued or failed at the same time in another transaction: a ${name}, then a cancellation: ${order}`,
          async (test) => {
            const { steps } = test;
            const job = await steps.createRunning();
            const { first, second } = await race(test, {
              ...interleaving,
              first: (inside) => settle(inside, job),
              second: (inside) => wasCancelled(inside, job),
            });
            expect([first, second].filter((stored) => stored === true)).toHaveLength(1);
            const { status } = await steps.get(job);
            if (second === true) expect(status).toBe("cancelled");
            else expect(status).not.toBe("cancelled");
            if (rolledBack) expect(second).toBe(true);
          },
        );
      }

      rule(
        `After a continuation the next job is cancelled, also if the two overlap: ${order}`,
        async (test) => {
          const { steps } = test;
          const job = await steps.createRunning();
          const { second } = await race(test, {
            ...interleaving,
            first: (inside) => inside.continueWith(job),
            second: (inside) => inside.cancel([job]),
          });
          const { current } = await steps.getSequence(job.id);
          expect(current.status).toBe("cancelled");
          expect(current.position).toBe(second?.kind === "cancelled" && rolledBack ? 0 : 1);
          expect(await steps.acquire({ typeName: "next" })).toEqual([]);
        },
      );

      rule(`a cancellation against a retry: ${order}`, async (test) => {
        const { steps, stateAdapter } = test;
        const job = await steps.createFailed();
        const { second } = await race(test, {
          ...interleaving,
          first: async (_inside, context) =>
            only(await stateAdapter.retryFailedJobs({ context, ids: [job.id] })).kind,
          second: (inside) => inside.cancel([job]),
        });
        const { status } = await steps.get(job);
        const result = second?.kind === "cancelled" ? only(second.results) : undefined;
        if (rolledBack) expect(status).toBe("failed");
        else expect(status).toBe(result?.kind === "cancelled" ? "cancelled" : "pending");
      });

      rule(`a failed sequence is cancelled while it is retried: ${order}`, async (test) => {
        const { steps, stateAdapter, secondStateAdapter } = test;
        const [job, other] = [await steps.createFailed(), await steps.createFailed()];
        const retry = (adapter: typeof stateAdapter, context: object, { id }: StateJob) =>
          adapter.retryFailedJobs({ context, ids: [id] });
        const cancelling = (inside: StateSteps, one: StateJob) =>
          inside.cancel([one], { failed: true });
        await race(test, {
          ...interleaving,
          first: (_inside, context) => retry(stateAdapter, context, job),
          second: (inside) => cancelling(inside, job),
        });
        expect((await steps.get(job)).status).toBe("cancelled");
        await race(test, {
          ...interleaving,
          first: (inside) => cancelling(inside, other),
          second: (_inside, context) => retry(secondStateAdapter, context, other),
        });
        expect((await steps.get(other)).status).toBe(rolledBack ? "pending" : "cancelled");
        expect(await steps.acquire({ limit: 5 })).toHaveLength(rolledBack ? 1 : 0);
      });

      rule(`a cancellation against a trigger: ${order}`, async (test) => {
        const { steps, stateAdapter } = test;
        const afterMs = 3_600_000;
        const job = await steps.createOne({ schedule: { afterMs } });
        await race(test, {
          ...interleaving,
          first: async (_inside, context) => stateAdapter.triggerJobs({ context, ids: [job.id] }),
          second: (inside) => inside.cancel([job]),
        });
        expect((await steps.get(job)).status).toBe("cancelled");
        expect(await steps.acquire()).toEqual([]);
      });
    }
  },
);

const againstBlockers: StateSuite = defineStateSuite(
  "races, cancellation against blockers",
  (rule) => {
    for (const interleaving of interleavings) {
      const order = nameInterleaving(interleaving);
      const rolledBack = interleaving.firstEnds === "rollback";

      rule(
        `the last blocker completes while its dependant is cancelled: ${order}`,
        async (test) => {
          const { steps } = test;
          const blocker = await steps.createRunning({ typeName: "blocker" });
          const waiting = await steps.createBlocked([blocker]);
          await race(test, {
            ...interleaving,
            first: (inside) => inside.complete(blocker),
            second: (inside) => inside.cancel([waiting]),
          });
          expect((await steps.get(waiting)).status).toBe("cancelled");
          expect(await steps.acquire()).toEqual([]);
          if (rolledBack) await steps.complete(blocker);
          expect((await steps.get(waiting)).status).toBe("cancelled");
        },
      );

      rule(`a dependant is cancelled while its last blocker completes: ${order}`, async (test) => {
        const { steps } = test;
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const waiting = await steps.createBlocked([blocker]);
        const { second } = await race(test, {
          ...interleaving,
          first: (inside) => inside.cancel([waiting]),
          second: (inside) => inside.complete(blocker),
        });
        expect(second?.kind).toBe("completed");
        expect((await steps.get(waiting)).status).toBe(rolledBack ? "pending" : "cancelled");
        expect(await steps.acquire()).toHaveLength(rolledBack ? 1 : 0);
      });

      rule(`a dependant is added while its blocker is cancelled: ${order}`, async (test) => {
        const { steps, secondStateAdapter } = test;
        const blocker = await steps.createOne({ typeName: "blocker" });
        const { id } = await steps.createOne({ awaitsBlockers: true });
        const { first } = await race(test, {
          ...interleaving,
          first: (inside) => inside.cancel([blocker]),
          second: (_inside, context) =>
            secondStateAdapter.addBlockers({
              context,
              jobs: [{ jobId: id, blockerSequenceIds: [blocker.id] }],
            }),
        });
        const waiting = await steps.get({ id });
        const { status } = await steps.get(blocker);
        // Never stranded: it waits for a sequence that goes on, or it has failed.
        if (status === "pending") expect(waiting.status).toBe("blocked");
        else {
          expect(first?.kind).toBe("cancelled");
          expect(waiting).toMatchObject({
            status: "failed",
            lastAttemptError: blockerCancelledError(blocker.id),
          });
        }
      });

      rule(`a blocker is cancelled while a dependant is added: ${order}`, async (test) => {
        const { steps, stateAdapter } = test;
        const blocker = await steps.createOne({ typeName: "blocker" });
        const { id } = await steps.createOne({ awaitsBlockers: true });
        const { second } = await race(test, {
          ...interleaving,
          first: (_inside, context) =>
            stateAdapter.addBlockers({
              context,
              jobs: [{ jobId: id, blockerSequenceIds: [blocker.id] }],
            }),
          second: (inside) => inside.cancel([blocker]),
        });
        const { status } = await steps.get(blocker);
        expect(second?.kind).toBe(status === "cancelled" ? "cancelled" : "blocking");
        const waiting = await steps.get({ id });
        if (rolledBack) expect(status).toBe("cancelled");
        else expect(waiting.status).toBe(status === "cancelled" ? "failed" : "blocked");
      });
    }
  },
);

const againstWorkers: StateSuite = defineStateSuite(
  "races, cancellation against workers",
  (rule) => {
    for (const firstEnds of ["commit", "rollback"] as const) {
      rule(`a job is acquired while it is cancelled: ${firstEnds}`, async (test) => {
        const { steps, secondSteps, stateAdapter, holdTransaction } = test;
        const job = await steps.createOne();
        const held = holdTransaction(stateAdapter, (inside) => inside.cancel([job]));
        await within(held.operated, "the cancellation");
        const acquiring = secondSteps.acquire();
        await test.settlesOrWaits(acquiring);
        held.end(firstEnds);
        await within(held.done, "the end of the cancellation");
        const acquired = await within(acquiring, "the acquisition");
        if (firstEnds === "commit") {
          expect(acquired).toEqual([]);
          expect(await steps.acquire()).toEqual([]);
          expect((await steps.get(job)).status).toBe("cancelled");
        } else if (acquired.length === 0) {
          const look = async () => (await steps.acquire())[0];
          expect((await eventually(look, "the job")).job.id).toBe(job.id);
        }
      });

      rule(`a lease is renewed while its job is cancelled: ${firstEnds}`, async (test) => {
        const { steps, secondSteps, stateAdapter, holdTransaction } = test;
        const job = await steps.createRunning();
        const held = holdTransaction(stateAdapter, (inside) => inside.cancel([job]));
        await within(held.operated, "the cancellation");
        const renewing = secondSteps.renew(job);
        await test.settlesOrWaits(renewing);
        held.end(firstEnds);
        await within(held.done, "the end of the cancellation");
        await within(renewing, "the renewal");
        const after = await steps.renew(job);
        if (firstEnds === "commit") {
          expect(after).toEqual({ kind: "lost", reason: "cancelled" });
          expect(await steps.get(job)).toMatchObject({ status: "cancelled", leasedUntil: null });
        } else {
          expect(after).toEqual({ kind: "held" });
          expect((await steps.complete(job)).kind).toBe("completed");
        }
      });
    }

    rule("an expired lease is reclaimed while its job is cancelled", async (test) => {
      const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
      const job = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(job);
      const held = holdTransaction(stateAdapter, (inside) => inside.cancel([job]));
      await within(held.operated, "the cancellation");
      const reclaiming = secondStateAdapter.reclaimExpiredLeases({ limit: 10 });
      await test.settlesOrWaits(reclaiming);
      held.end("commit");
      await within(held.done, "the end of the cancellation");
      expect(await within(reclaiming, "the reclaim")).toEqual([]);
      expect((await steps.get(job)).status).toBe("cancelled");
      expect(await steps.acquire()).toEqual([]);
    });

    rule("two cancellations of jobs in opposite orders end both", async (test) => {
      const { steps } = test;
      const jobs = await steps.create(...Array.from({ length: 8 }, () => ({})));
      const { first, second } = await race(test, {
        firstEnds: "commit",
        endsFirst: "first",
        first: (inside) => inside.cancel(jobs),
        second: (inside) => inside.cancel([...jobs].reverse()),
      });
      const counts = [first, second].map((each) =>
        each?.kind === "cancelled" ? each.jobs.length : undefined,
      );
      expect(counts.sort()).toEqual([0, 8]);
    });
  },
);

export const cancellationRaceSuites: readonly StateSuite[] = [
  againstSettlement,
  againstBlockers,
  againstWorkers,
];
