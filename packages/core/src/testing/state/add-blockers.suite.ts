import { expect } from "vitest";
import { blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

export const addBlockersSuite: StateSuite = defineStateSuite("addBlockers", (rule) => {
  rule(
    "Answers each job as it is afterwards: `pending` if all its blockers are already complete, else `blocked`.",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const completed = await steps.createCompleted({ typeName: "completed" });
      const unfinished = await steps.createOne({ typeName: "unfinished" });
      const created = await steps.create(
        ...Array.from({ length: 4 }, () => ({ awaitsBlockers: true })),
      );
      const lists = [[completed], [completed, unfinished], [unfinished], []];
      const added = await runInTransaction((context) =>
        stateAdapter.addBlockers({
          context,
          jobs: created.map(({ id }, index) => ({
            jobId: id,
            blockerSequenceIds: (lists[index] ?? []).map((blocker) => blocker.id),
          })),
        }),
      );
      expect(added.map(({ job }) => job.id)).toEqual(created.map(({ id }) => id));
      expect(added.map(({ job }) => job.status)).toEqual([
        "pending",
        "blocked",
        "blocked",
        "pending",
      ]);
      expect(added.map(({ missing }) => missing)).toEqual([[], [], [], []]);
      for (const { job } of added) expect(await steps.get(job)).toEqual(job);
    },
  );

  rule("every unfinished status of a blocker holds", async ({ steps }) => {
    const pending = await steps.createOne({ typeName: "pending" });
    const running = await steps.createRunning({ typeName: "running" });
    const blocked = await steps.createBlocked([pending], { typeName: "blocked" });
    const continued = await steps.createRunning({ typeName: "continued" });
    await steps.continueWith(continued);
    for (const blocker of [pending, running, blocked, continued]) {
      expect((await steps.createBlocked([blocker])).status).toBe("blocked");
    }
  });

  rule("a sequence that went on and ended is complete", async ({ steps }) => {
    const first = await steps.createRunning({ typeName: "first" });
    await steps.continueWith(first);
    await steps.complete(await steps.acquireOne({ typeName: "next" }));
    expect((await steps.createBlocked([first])).status).toBe("pending");
  });

  rule(
    'A blocker that has failed, on a job with `onBlockerFailure: "fail"`: the job is `failed`.',
    async ({ steps }) => {
      const failed = await steps.createFailed({ typeName: "failed" });
      const fine = await steps.createOne({ typeName: "fine" });
      const fails = await steps.createBlocked([fine, failed], { onBlockerFailure: "fail" });
      expect(fails.status).toBe("failed");
      expect(fails.finishedAt).not.toBeNull();
      expect(fails.lastAttemptError).toBe(blockerFailedError(failed.id));
      const waits = await steps.createBlocked([failed]);
      expect(waits.status).toBe("blocked");
    },
  );

  rule(
    "The same sequence twice in one list counts once for releasing, and keeps both places in the list.",
    async ({ steps, stateAdapter }) => {
      const twice = await steps.createRunning({ typeName: "twice" });
      const once = await steps.createRunning({ typeName: "once" });
      const job = await steps.createBlocked([twice, once, twice]);
      const blockers = only(await stateAdapter.getBlockers({ ids: [job.id] }));
      expect(blockers.map(({ first }) => first.id)).toEqual([twice.id, once.id, twice.id]);
      await steps.complete(twice);
      expect((await steps.get(job)).status).toBe("blocked");
      await steps.complete(once);
      expect((await steps.get(job)).status).toBe("pending");
    },
  );

  rule(
    "A sequence that does not exist: `missing` names it for that element, and nothing is written for it.",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const absent = await steps.absentId();
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const created = await steps.create({ awaitsBlockers: true }, { awaitsBlockers: true });
      const added = await runInTransaction((context) =>
        stateAdapter.addBlockers({
          context,
          jobs: [
            { jobId: created[0]?.id ?? "", blockerSequenceIds: [blocker.id, absent] },
            { jobId: created[1]?.id ?? "", blockerSequenceIds: [blocker.id] },
          ],
        }),
      );
      expect(added.map(({ missing }) => missing)).toEqual([[absent], []]);
      expect(added.map(({ job }) => job.id)).toEqual(created.map(({ id }) => id));
      const [without, withOne] = await stateAdapter.getBlockers({
        ids: created.map(({ id }) => id),
      });
      expect([without?.length, withOne?.length]).toEqual([0, 1]);
      await steps.complete(blocker);
      const statuses = await stateAdapter.getJobs({ ids: created.map(({ id }) => id) });
      expect(statuses.map((job) => job?.status)).toEqual(["blocked", "pending"]);
    },
  );

  rule(
    "a job that is not the first of its sequence is no sequence",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const first = await steps.createRunning({ typeName: "first" });
      const second = await steps.continueWith(first);
      const { id } = await steps.createOne({ awaitsBlockers: true });
      const added = await runInTransaction((context) =>
        stateAdapter.addBlockers({
          context,
          jobs: [{ jobId: id, blockerSequenceIds: [second.id] }],
        }),
      );
      expect(only(added).missing).toEqual([second.id]);
    },
  );

  rule("a blocker of the same transaction is seen", async ({ openTransaction, steps }) => {
    const transaction = await openTransaction();
    const blocker = await transaction.steps.createOne({ typeName: "blocker" });
    const job = await transaction.steps.createBlocked([blocker]);
    expect(job.status).toBe("blocked");
    await transaction.commit();
    await steps.complete(await steps.acquireOne({ typeName: "blocker" }));
    expect((await steps.get(job)).status).toBe("pending");
  });

  rule("is rolled back with its transaction", async ({ openTransaction, steps, stateAdapter }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const job = await steps.createOne({ awaitsBlockers: true });
    const transaction = await openTransaction();
    await stateAdapter.addBlockers({
      context: transaction.context,
      jobs: [{ jobId: job.id, blockerSequenceIds: [blocker.id] }],
    });
    await transaction.rollback();
    expect(await stateAdapter.getBlockers({ ids: [job.id] })).toEqual([[]]);
    await steps.complete(blocker);
    expect((await steps.get(job)).status).toBe("blocked");
  });

  rule(
    "many jobs wait for many sequences in one call, in the order given",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const blockers = await steps.create(
        ...Array.from({ length: 10 }, () => ({ typeName: "blocker" })),
      );
      const waiting = await steps.create(
        ...Array.from({ length: 20 }, () => ({ awaitsBlockers: true })),
      );
      const lists = waiting.map((_, index) =>
        blockers.map((_blocker, place) => blockers[(place * 3 + index) % 10]?.id ?? ""),
      );
      await runInTransaction((context) =>
        stateAdapter.addBlockers({
          context,
          jobs: waiting.map(({ id }, index) => ({
            jobId: id,
            blockerSequenceIds: lists[index] ?? [],
          })),
        }),
      );
      const read = await stateAdapter.getBlockers({ ids: waiting.map(({ id }) => id) });
      expect(read.map((list) => list.map(({ first }) => first.id))).toEqual(lists);
    },
  );

  rule(
    "a continuation that fails at once fails the waiters of its sequence",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const failed = await steps.createRunning({ typeName: "fails" });
      await steps.fail(failed);
      const running = await steps.createRunning({ typeName: "first" });
      const waiter = await steps.createBlocked([running], { onBlockerFailure: "fail" });
      const next = await steps.continueWith(running, {
        ...{ typeName: "next", awaitsBlockers: true, onBlockerFailure: "fail" },
      });
      const jobs = [{ jobId: next.id, blockerSequenceIds: [failed.id] }];
      await runInTransaction((context) => stateAdapter.addBlockers({ context, jobs }));
      expect((await steps.get(next)).status).toBe("failed");
      expect(await steps.get(waiter)).toMatchObject({
        ...{ status: "failed", lastAttemptError: blockerFailedError(running.sequenceId) },
      });
    },
  );

  rule("an empty array is answered with one", async ({ stateAdapter, runInTransaction }) => {
    const added = await runInTransaction((context) =>
      stateAdapter.addBlockers({ context, jobs: [] }),
    );
    expect(added).toEqual([]);
  });
});
