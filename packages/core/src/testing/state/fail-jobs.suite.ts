import { expect } from "vitest";
import { blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const failJobsSuite: StateSuite = defineStateSuite("failJobs", (rule) => {
  rule("Fails running jobs for good", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    const { results, dependants } = await stateAdapter.failJobs({
      jobs: [{ jobId: job.id, leaseVersion: job.leaseVersion, error: "why\n'it' failed" }],
    });
    const read = await steps.get(job);
    expect(read).toMatchObject({
      status: "failed",
      lastAttemptError: "why\n'it' failed",
      input: job.input,
      output: null,
      leasedBy: null,
      leasedUntil: null,
      completedBy: null,
      attempt: 1,
      leaseVersion: 1,
    });
    expect(results).toEqual([{ kind: "failed", failedAt: read.finishedAt }]);
    expect(dependants).toEqual([]);
    expect(await steps.acquire()).toEqual([]);
  });

  rule(
    'and every blocked job that waits for their sequences with `onBlockerFailure: "fail"`, and theirs in turn, in one transaction.',
    async ({ steps, stateAdapter }) => {
      const job = await steps.createRunning({ typeName: "blocker" });
      const fine = await steps.createOne({ typeName: "fine" });
      const onBlockerFailure = "fail";
      const first = await steps.createBlocked([fine, job], { typeName: "1", onBlockerFailure });
      const second = await steps.createBlocked([first], { typeName: "2", onBlockerFailure });
      const third = await steps.createBlocked([second, job], { typeName: "3", onBlockerFailure });
      const waits = await steps.createBlocked([third], { typeName: "4" });
      const { dependants } = await stateAdapter.failJobs({
        jobs: [{ jobId: job.id, leaseVersion: job.leaseVersion, error: "x" }],
      });
      expect(dependants.map(({ id }) => id).sort()).toEqual(
        [first, second, third].map(({ id }) => id).sort(),
      );
      for (const { id, error } of dependants) {
        const read = await steps.get({ id });
        expect(read).toMatchObject({ status: "failed", lastAttemptError: error, attempt: 0 });
        expect(read.finishedAt).not.toBeNull();
      }
      expect((await steps.get(waits)).status).toBe("blocked");
    },
  );

  rule("A dependant's error names the sequence that failed.", async ({ steps }) => {
    const first = await steps.createRunning({ typeName: "first" });
    const last = await steps.continueWith(first);
    const waiting = await steps.createBlocked([first], { onBlockerFailure: "fail" });
    const running = await steps.acquireOne({ typeName: "next" });
    expect(running.id).toBe(last.id);
    await steps.fail(running);
    expect(await steps.get(waiting)).toMatchObject({
      status: "failed",
      lastAttemptError: blockerFailedError(first.id),
    });
  });

  rule('Dependants with `"wait"` stay blocked.', async ({ steps }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const waiting = await steps.createBlocked([blocker]);
    await steps.fail(blocker);
    expect(await steps.get(waiting)).toEqual(waiting);
  });

  rule(
    'Dependants with `"continue"` whose other blockers have all ended become `pending` in the same transaction.',
    async ({ steps, openTransaction }) => {
      const onBlockerFailure = "continue";
      const blockers = await Promise.all(
        ["one", "two", "three"].map((typeName) => steps.createRunning({ typeName })),
      );
      const [one, two, three] = blockers;
      if (one === undefined || two === undefined || three === undefined) throw new Error("none");
      const waiting = await steps.createBlocked(blockers, { onBlockerFailure });
      const fails = await steps.createBlocked([two], { typeName: "f", onBlockerFailure: "fail" });
      const last = await steps.createBlocked([fails], { typeName: "last", onBlockerFailure });
      await steps.fail(one);
      expect(await steps.get(waiting)).toEqual(waiting);
      await steps.complete(three);
      const transaction = await openTransaction();
      await transaction.steps.fail(two);
      expect((await transaction.steps.get(waiting)).status).toBe("pending");
      await transaction.commit();
      expect((await steps.get(fails)).status).toBe("failed");
      for (const { id, typeName } of [waiting, last]) {
        expect((await steps.acquire({ typeName })).map(({ job }) => job.id)).toEqual([id]);
      }
    },
  );

  rule("They are listed in `unblocked`.", async ({ steps, stateAdapter }) => {
    const one = await steps.createRunning({ typeName: "one" });
    const two = await steps.createRunning({ typeName: "two" });
    const onBlockerFailure = "continue";
    const waiting = await steps.createBlocked([one, two, one], { onBlockerFailure });
    const jobs = [one, two].map(({ id, leaseVersion }) => ({
      jobId: id,
      leaseVersion,
      error: "x",
    }));
    const { unblocked, dependants } = await stateAdapter.failJobs({ jobs });
    expect(dependants).toEqual([]);
    expect(unblocked).toEqual([
      {
        ...{ id: waiting.id, typeName: waiting.typeName, sequenceId: waiting.id },
        ...{ sequenceTypeName: waiting.typeName, rootSequenceId: waiting.id, originId: null },
        unblockedBySequenceId: expect.stringMatching(
          new RegExp(`^(${one.id}|${two.id})$`, "u"),
        ) as string,
      },
    ]);
  });

  rule("fails only blocked dependants: finished ones stay as they are", async ({ steps }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const waiting = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
    await steps.completeWithoutWorker(waiting);
    await steps.fail(blocker);
    expect((await steps.get(waiting)).status).toBe("completed");
  });

  rule("the sequence has failed with its current job", async ({ steps }) => {
    const first = await steps.createRunning();
    await steps.continueWith(first);
    const next = await steps.acquireOne({ typeName: "next" });
    await steps.fail(next, "in the second");
    const sequence = await steps.getSequence(first.id);
    expect(sequence.first.status).toBe("completed");
    expect(sequence.current).toMatchObject({ id: next.id, status: "failed" });
  });

  rule("an expired lease that no worker has taken over still counts", async ({ steps }) => {
    const job = await steps.createRunning({}, { leaseMs: 1 });
    await steps.untilExpired(job);
    expect(await steps.fail(job)).toBe("failed");
  });

  rule(
    "an element that no longer holds changes nothing and is returned as such",
    async ({ steps, stateAdapter }) => {
      const old = await steps.createRunning({ typeName: "old" }, { leaseMs: 1 });
      await steps.untilExpired(old);
      const current = await steps.acquireOne({ typeName: "old" });
      const waiting = await steps.createBlocked([old], { onBlockerFailure: "fail" });
      const completed = await steps.createRunning({ typeName: "completed" });
      await steps.complete(completed);
      const held = await steps.createRunning({ typeName: "held" });
      const absent = { id: await steps.absentId(), leaseVersion: 1 };
      const { results, dependants } = await stateAdapter.failJobs({
        jobs: [old, completed, held, absent].map(({ id, leaseVersion }) => ({
          jobId: id,
          leaseVersion,
          error: "x",
        })),
      });
      expect(
        results.map((result) => (result.kind === "lost" ? result.reason : result.kind)),
      ).toEqual(["taken_by_another_worker", "already_completed", "failed", "not_found"]);
      expect(dependants).toEqual([]);
      expect(await steps.get(current)).toEqual(current);
      expect((await steps.get(waiting)).status).toBe("blocked");
    },
  );

  rule(
    "is rolled back with its transaction, dependants too",
    async ({ steps, openTransaction }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const waiting = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
      const transaction = await openTransaction();
      await transaction.steps.fail(blocker);
      expect((await transaction.steps.get(waiting)).status).toBe("failed");
      await transaction.rollback();
      expect((await steps.get(blocker)).status).toBe("running");
      expect((await steps.get(waiting)).status).toBe("blocked");
    },
  );

  rule(
    "two blockers that fail in one call fail a dependant once",
    async ({ steps, stateAdapter }) => {
      const blockers = [
        await steps.createRunning({ typeName: "b1" }),
        await steps.createRunning({ typeName: "b2" }),
      ];
      const waiting = await steps.createBlocked(blockers, { onBlockerFailure: "fail" });
      const { dependants } = await stateAdapter.failJobs({
        jobs: blockers.map(({ id, leaseVersion }) => ({ jobId: id, leaseVersion, error: "x" })),
      });
      expect(dependants.map(({ id }) => id)).toEqual([waiting.id]);
    },
  );

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.failJobs({ jobs: [] })).toEqual({
      ...{ results: [], dependants: [], unblocked: [] },
    });
  });
});
