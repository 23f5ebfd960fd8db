import { expect } from "vitest";
import { aKey, minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

export const retryFailedJobsSuite: StateSuite = defineStateSuite("retryFailedJobs", (rule) => {
  rule(
    "Makes failed jobs due now, with `attempt` 0 and their last error kept.",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createFailed({ input: "[1]" }, "the last error");
      const result = only(await stateAdapter.retryFailedJobs({ ids: [job.id] }));
      if (result.kind !== "retried") throw new Error(`refused: ${result.reason}`);
      expect(result.job).toMatchObject({
        id: job.id,
        status: "pending",
        attempt: 0,
        lastAttemptError: "the last error",
        finishedAt: null,
        input: "[1]",
        leaseVersion: 1,
      });
      expect(result.job.scheduledAt.getTime()).toBeGreaterThanOrEqual(
        job.finishedAt?.getTime() ?? NaN,
      );
      expect(await steps.get(job)).toEqual(result.job);
      const running = await steps.acquireOne();
      expect(running).toMatchObject({ id: job.id, attempt: 1, leaseVersion: 2 });
      expect((await steps.complete(running)).kind).toBe("completed");
    },
  );

  rule("a schedule far away does not hold a retried job back", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    await steps.reschedule(job, { afterMs: minuteMs });
    await stateAdapter.triggerJobs({ ids: [job.id] });
    await steps.fail(await steps.acquireOne());
    await stateAdapter.retryFailedJobs({ ids: [job.id] });
    expect((await steps.acquireOne()).id).toBe(job.id);
  });

  rule(
    "`blocked` if they have incomplete blockers, else `pending`.",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const onBlockerFailure = "fail";
      const first = await steps.createBlocked([blocker], { typeName: "w1", onBlockerFailure });
      const second = await steps.createBlocked([blocker], { typeName: "w2", onBlockerFailure });
      await steps.fail(blocker);
      const early = await stateAdapter.retryFailedJobs({ ids: [blocker.id, first.id] });
      expect(early.map((each) => (each.kind === "retried" ? each.job.status : each))).toEqual([
        "pending",
        "blocked",
      ]);
      expect(await steps.acquire({ typeName: "w1" })).toEqual([]);
      await steps.complete(await steps.acquireOne({ typeName: "blocker" }));
      expect((await steps.get(first)).status).toBe("pending");
      const late = only(await stateAdapter.retryFailedJobs({ ids: [second.id] }));
      expect(late).toMatchObject({ kind: "retried", job: { status: "pending" } });
    },
  );

  rule(
    'Refused for a job with `onBlockerFailure` `"fail"` while one of its blockers is failed: it would hold its key, and wait.',
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const continued = await steps.createRunning({ typeName: "continued" });
      const next = await steps.continueWith(continued);
      const fields = { onBlockerFailure: "fail", deduplication: aKey("k") } as const;
      const first = await steps.createBlocked([blocker, continued], { typeName: "w", ...fields });
      await steps.fail(await steps.acquireOne({ typeName: "next" }));
      await steps.fail(blocker);
      const failed = await steps.get(first);
      const refusedBy = (bySequenceId: string) => [
        { kind: "refused", reason: "blocker_failed", bySequenceId },
      ];
      const retry = () => stateAdapter.retryFailedJobs({ ids: [first.id] });
      expect(await retry()).toEqual(refusedBy(blocker.id));
      await stateAdapter.retryFailedJobs({ ids: [blocker.id] });
      expect(await retry()).toEqual(refusedBy(continued.id));
      expect(await steps.get(first)).toEqual(failed);
      // It does not hold its key meanwhile.
      expect((await steps.createOne({ typeName: "w", ...fields })).id).not.toBe(first.id);
      await steps.complete(await steps.acquireOne({ typeName: "w" }));
      await stateAdapter.retryFailedJobs({ ids: [next.id] });
      expect(await retry()).toMatchObject([{ kind: "retried", job: { status: "blocked" } }]);
    },
  );

  rule(
    "Not for a blocker that comes back in the same call, in any order.",
    async ({ steps, stateAdapter }) => {
      const onBlockerFailure = "fail";
      const lowest = await steps.createRunning({ typeName: "lowest" });
      const middle = await steps.createBlocked([lowest], { typeName: "middle", onBlockerFailure });
      const top = await steps.createBlocked([middle], { typeName: "top", onBlockerFailure });
      await steps.fail(lowest);
      const kindsOf = async (ids: readonly string[]) =>
        (await stateAdapter.retryFailedJobs({ ids })).map((result) =>
          result.kind === "refused" ? result.reason : result.job.status,
        );
      expect(await kindsOf([top.id, middle.id])).toEqual(["blocker_failed", "blocker_failed"]);
      const all = [top.id, top.id, middle.id, lowest.id];
      expect(await kindsOf(all)).toEqual(["blocked", "not_failed", "blocked", "pending"]);
      for (const typeName of ["lowest", "middle", "top"]) {
        await steps.complete(await steps.acquireOne({ typeName }));
      }
    },
  );

  rule(
    "a dependant of the failed job starts when that completes after all",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const waiting = await steps.createBlocked([blocker]);
      await steps.fail(blocker);
      await stateAdapter.retryFailedJobs({ ids: [blocker.id] });
      await steps.complete(await steps.acquireOne({ typeName: "blocker" }));
      expect((await steps.get(waiting)).status).toBe("pending");
    },
  );

  rule(
    "Refused for a job whose deduplication key another unfinished sequence has taken meanwhile.",
    async ({ steps, stateAdapter }) => {
      const failed = await steps.createFailed({ deduplication: aKey("k") });
      const other = await steps.createOne({ deduplication: aKey("k") });
      expect(await stateAdapter.retryFailedJobs({ ids: [failed.id] })).toEqual([
        { kind: "refused", reason: "deduplication_key_taken", bySequenceId: other.id },
      ]);
      expect(await steps.get(failed)).toEqual(failed);
      await steps.complete(await steps.acquireOne());
      const again = only(await stateAdapter.retryFailedJobs({ ids: [failed.id] }));
      expect(again.kind).toBe("retried");
      // It holds its key again.
      expect((await steps.createOne({ deduplication: aKey("k") })).id).toBe(failed.id);
    },
  );

  rule(
    "a later job of the sequence is refused too while the key is taken",
    async ({ steps, stateAdapter }) => {
      const first = await steps.createRunning({ deduplication: aKey("k") });
      const next = await steps.continueWith(first);
      await steps.fail(await steps.acquireOne({ typeName: "next" }));
      const other = await steps.createOne({ deduplication: aKey("k") });
      expect(other.id).not.toBe(first.id);
      expect(await stateAdapter.retryFailedJobs({ ids: [next.id] })).toEqual([
        { kind: "refused", reason: "deduplication_key_taken", bySequenceId: other.id },
      ]);
    },
  );

  rule(
    "of two failed sequences with one key, one call retries one",
    async ({ steps, stateAdapter }) => {
      const first = await steps.createFailed({ deduplication: aKey("k") });
      const second = await steps.createFailed({ deduplication: aKey("k") });
      const results = await stateAdapter.retryFailedJobs({ ids: [first.id, second.id] });
      expect(results).toMatchObject([
        { kind: "retried" },
        { kind: "refused", reason: "deduplication_key_taken", bySequenceId: first.id },
      ]);
    },
  );

  rule("other jobs are refused, each with its reason", async ({ steps, stateAdapter }) => {
    const pending = await steps.createOne({ typeName: "pending" });
    const completed = await steps.createCompleted({ typeName: "completed" });
    const running = await steps.createRunning({ typeName: "running" });
    const failed = await steps.createFailed({ typeName: "failed" });
    const ids = [pending.id, await steps.absentId(), completed.id, failed.id, running.id];
    const results = await stateAdapter.retryFailedJobs({ ids });
    expect(results.map((each) => (each.kind === "refused" ? each.reason : each.kind))).toEqual([
      "not_failed",
      "not_found",
      "not_failed",
      "retried",
      "not_failed",
    ]);
    expect(await steps.get(completed)).toEqual(completed);
    expect(await steps.get(running)).toEqual(running);
  });

  rule("is rolled back with its transaction", async ({ steps, stateAdapter, openTransaction }) => {
    const failed = await steps.createFailed();
    const { context, rollback } = await openTransaction();
    await stateAdapter.retryFailedJobs({ context, ids: [failed.id] });
    await rollback();
    expect(await steps.get(failed)).toEqual(failed);
    expect(await steps.acquire()).toEqual([]);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.retryFailedJobs({ ids: [] })).toEqual([]);
  });

  rule(
    "Refused for a job one of whose blockers was cancelled: it would wait for ever.",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createOne({ typeName: "blocker" });
      const waiting = await steps.createBlocked([blocker]);
      await steps.cancel([blocker], { dependants: "fail" });
      const failed = await steps.get(waiting);
      expect(await stateAdapter.retryFailedJobs({ ids: [waiting.id] })).toEqual([
        { kind: "refused", reason: "blocker_cancelled", bySequenceId: blocker.id },
      ]);
      expect(await steps.get(waiting)).toEqual(failed);
    },
  );

  const onBlockerFailure = "continue";

  rule(
    'With `onBlockerFailure: "continue"` it waits only for blockers that have not ended.',
    async ({ steps, stateAdapter }) => {
      const cancelled = await steps.createOne({ typeName: "cancelled" });
      const failed = await steps.createRunning({ typeName: "failed" });
      const waiting = await steps.createBlocked([cancelled, failed], { onBlockerFailure });
      await steps.cancel([cancelled]);
      await steps.fail(failed);
      await steps.fail(await steps.acquireOne());
      const retry = async () =>
        (await stateAdapter.retryFailedJobs({ ids: [waiting.id] })).map((result) =>
          result.kind === "retried" ? result.job.status : result.reason,
        );
      expect(await retry()).toEqual(["pending"]);
      await steps.fail(await steps.acquireOne());
      await stateAdapter.retryFailedJobs({ ids: [failed.id] });
      expect(await retry()).toEqual(["blocked"]);
      await steps.fail(await steps.acquireOne({ typeName: "failed" }));
      expect((await steps.acquireOne()).id).toBe(waiting.id);
    },
  );

  rule(
    'A blocked job with `onBlockerFailure: "continue"` waits for a retried sequence again, and a released one stays.',
    async ({ steps, stateAdapter }) => {
      const failed = await steps.createRunning({ typeName: "failed" });
      const other = await steps.createRunning({ typeName: "other" });
      const both = await steps.createBlocked([failed, other], { onBlockerFailure });
      const one = await steps.createBlocked([failed], { typeName: "one", onBlockerFailure });
      await steps.fail(failed);
      await stateAdapter.retryFailedJobs({ ids: [failed.id] });
      await steps.complete(other);
      expect((await steps.get(both)).status).toBe("blocked");
      expect((await steps.get(one)).status).toBe("pending");
      await steps.complete(await steps.acquireOne({ typeName: "one" }));
      await steps.complete(await steps.acquireOne({ typeName: "failed" }));
      expect((await steps.acquireOne()).id).toBe(both.id);
      expect((await steps.get(one)).status).toBe("completed");
    },
  );
});
