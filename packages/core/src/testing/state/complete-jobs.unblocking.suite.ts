import { expect } from "vitest";
import type { StateJob } from "../../model/state-job.ts";
import { minuteMs } from "../factories.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

const completeAll = async (
  stateAdapter: StateCaseContext["stateAdapter"],
  running: readonly StateJob[],
) =>
  stateAdapter.completeJobs({
    workerId: "w",
    completions: running.map(({ id, leaseVersion }) => ({
      jobId: id,
      leaseVersion,
      outcome: { kind: "output", output: "null" },
    })),
  });

export const completeJobsUnblockingSuite: StateSuite = defineStateSuite(
  "completeJobs, unblocking",
  (rule) => {
    rule(
      "Jobs whose last incomplete blocker ends here become `pending` in the same transaction, exactly once",
      async ({ steps, stateAdapter }) => {
        const first = await steps.createRunning({ typeName: "b1" });
        const second = await steps.createRunning({ typeName: "b2" });
        const job = await steps.createBlocked([first, second]);
        expect(job.status).toBe("blocked");

        expect((await completeAll(stateAdapter, [first])).unblocked).toEqual([]);
        expect((await steps.get(job)).status).toBe("blocked");
        expect(await steps.acquire()).toEqual([]);

        const { unblocked } = await completeAll(stateAdapter, [second]);
        expect(unblocked).toEqual([
          {
            id: job.id,
            typeName: "task",
            sequenceId: job.id,
            sequenceTypeName: "task",
            rootSequenceId: job.id,
            originId: null,
            unblockedBySequenceId: second.id,
          },
        ]);
        expect((await steps.get(job)).status).toBe("pending");
        expect((await steps.acquireOne()).id).toBe(job.id);
      },
    );

    rule("They are listed in `unblocked`.", async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const waiting = [
        await steps.createBlocked([blocker], { typeName: "w1" }),
        await steps.createBlocked([blocker], { typeName: "w2" }),
      ];
      const other = await steps.createRunning({ typeName: "other" });
      const { unblocked } = await completeAll(stateAdapter, [other, blocker]);
      expect(unblocked.map(({ id }) => id).sort()).toEqual(waiting.map(({ id }) => id).sort());
      expect(new Set(unblocked.map((each) => each.unblockedBySequenceId))).toEqual(
        new Set([blocker.id]),
      );
    });

    rule(
      "two blockers that end in one call release the job once",
      async ({ steps, stateAdapter }) => {
        const blockers = [
          await steps.createRunning({ typeName: "b1" }),
          await steps.createRunning({ typeName: "b2" }),
        ];
        const job = await steps.createBlocked(blockers);
        const { unblocked } = await completeAll(stateAdapter, blockers);
        expect(unblocked.map(({ id }) => id)).toEqual([job.id]);
        expect(blockers.map(({ id }) => id)).toContain(only(unblocked).unblockedBySequenceId);
        expect(await steps.acquire({ limit: 5 })).toHaveLength(1);
      },
    );

    rule("a continued blocker holds until its sequence ends", async ({ steps, stateAdapter }) => {
      const first = await steps.createRunning({ typeName: "blocker" });
      const job = await steps.createBlocked([first]);
      await steps.continueWith(first, { typeName: "next" });
      expect((await steps.get(job)).status).toBe("blocked");
      const next = await steps.acquireOne({ typeName: "next" });
      const { unblocked } = await completeAll(stateAdapter, [next]);
      expect(unblocked).toMatchObject([{ id: job.id, unblockedBySequenceId: first.id }]);
    });

    rule(
      "one call ends an awaited sequence at its first job, and another, without a waiter, later on",
      async ({ steps, stateAdapter }) => {
        const later = await steps.createRunning({ typeName: "unawaited" });
        await steps.continueWith(later, { typeName: "later" });
        const last = await steps.acquireOne({ typeName: "later" });
        expect(last.position).toBe(1);
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const job = await steps.createBlocked([blocker]);
        const { unblocked } = await completeAll(stateAdapter, [blocker, last]);
        expect(unblocked).toMatchObject([{ id: job.id, unblockedBySequenceId: blocker.id }]);
        expect((await steps.get(job)).status).toBe("pending");
      },
    );

    rule(
      "an element that lost its lease releases no dependant",
      async ({ steps, stateAdapter }) => {
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const job = await steps.createBlocked([blocker]);
        const stale = { ...blocker, leaseVersion: blocker.leaseVersion + 1 };
        expect((await completeAll(stateAdapter, [stale])).unblocked).toEqual([]);
        expect((await steps.get(job)).status).toBe("blocked");
      },
    );

    rule("a repeated completion releases no dependant again", async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker]);
      await completeAll(stateAdapter, [blocker]);
      const running = await steps.acquireOne();
      expect((await completeAll(stateAdapter, [blocker])).unblocked).toEqual([]);
      expect(await steps.get(job)).toEqual(running);
    });

    rule("completion without a worker releases too", async ({ steps }) => {
      const blocker = await steps.createOne({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker]);
      await steps.completeWithoutWorker(blocker);
      expect((await steps.get(job)).status).toBe("pending");
    });

    rule("a released job keeps its schedule", async ({ steps }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker], { schedule: { afterMs: minuteMs } });
      await steps.complete(blocker);
      const released = await steps.get(job);
      expect(released.status).toBe("pending");
      expect(released.scheduledAt).toEqual(job.scheduledAt);
      expect(await steps.acquire()).toEqual([]);
    });

    rule(
      "a job completed while it was blocked is not released",
      async ({ steps, stateAdapter }) => {
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const job = await steps.createBlocked([blocker]);
        await steps.completeWithoutWorker(job);
        expect((await completeAll(stateAdapter, [blocker])).unblocked).toEqual([]);
        expect((await steps.get(job)).status).toBe("completed");
      },
    );

    rule("a release is rolled back with the completion", async ({ steps, openTransaction }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker]);
      const transaction = await openTransaction();
      await transaction.steps.complete(blocker);
      expect((await transaction.steps.get(job)).status).toBe("pending");
      await transaction.rollback();
      expect((await steps.get(job)).status).toBe("blocked");
      await steps.complete(blocker);
      expect((await steps.get(job)).status).toBe("pending");
    });

    rule(
      "a failed blocker beside a completed one does not release",
      async ({ steps, stateAdapter }) => {
        const failing = await steps.createRunning({ typeName: "b1" });
        const completing = await steps.createRunning({ typeName: "b2" });
        const job = await steps.createBlocked([failing, completing]);
        await steps.fail(failing);
        expect((await completeAll(stateAdapter, [completing])).unblocked).toEqual([]);
        expect((await steps.get(job)).status).toBe("blocked");
      },
    );

    rule("chains of waiting sequences go one link at a time", async ({ steps }) => {
      const first = await steps.createRunning({ typeName: "a" });
      const second = await steps.createBlocked([first], { typeName: "b" });
      const third = await steps.createBlocked([second], { typeName: "c" });
      await steps.complete(first);
      expect((await steps.get(third)).status).toBe("blocked");
      await steps.complete(await steps.acquireOne({ typeName: "b" }));
      expect((await steps.get(third)).status).toBe("pending");
    });

    rule(
      "one blocker releases hundreds of jobs in one call",
      async ({ steps, stateAdapter, runInTransaction }) => {
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const created = await steps.create(
          ...Array.from({ length: 300 }, () => ({ awaitsBlockers: true })),
        );
        await runInTransaction((context) =>
          stateAdapter.addBlockers({
            context,
            jobs: created.map(({ id }) => ({ jobId: id, blockerSequenceIds: [blocker.id] })),
          }),
        );
        const { unblocked } = await completeAll(stateAdapter, [blocker]);
        expect(unblocked.map(({ id }) => id).sort()).toEqual(created.map(({ id }) => id).sort());
        expect(await steps.acquire({ limit: 500 })).toHaveLength(300);
      },
    );
  },
);
