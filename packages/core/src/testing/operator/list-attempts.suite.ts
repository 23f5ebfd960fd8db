import { expect } from "vitest";
import type { StoredAttempt } from "../../adapters/operator-store.ts";
import { cancelledAttemptError, leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import type { StateJob } from "../../model/state-job.ts";
import { minuteMs } from "../factories.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

const attemptsOf = async (
  { operator }: OperatorCaseContext,
  { id }: { readonly id: string },
): Promise<readonly StoredAttempt[]> => {
  const [attempts] = await operator.listAttempts({ jobIds: [id] });
  if (attempts === undefined) throw new Error("No list of attempts");
  return attempts;
};

const retry = async (
  { stateAdapter }: OperatorCaseContext,
  { id, leaseVersion }: StateJob,
  error: string | null,
  countsAttempt = true,
): Promise<void> => {
  const lease = { jobId: id, leaseVersion, schedule: { afterMs: 0 } };
  await stateAdapter.rescheduleJobs({ jobs: [{ ...lease, countsAttempt, error }] });
};

export const listAttemptsSuite: OperatorSuite = defineOperatorSuite("listAttempts", (rule) => {
  rule(
    "An attempt with an error was retried or failed. An attempt whose lease was reclaimed has the outcome `lease_expired`.",
    async (test) => {
      const { steps, stateAdapter } = test;
      const created = await steps.createOne();
      const first = await steps.acquireOne({ workerId: "w-1" });
      await retry(test, first, "Error: $one\n  at x");
      const due = await steps.get(created);
      const second = await steps.acquireOne({ workerId: "w-2", leaseMs: 1 });
      await steps.untilExpired(second);
      await stateAdapter.reclaimExpiredLeases({ limit: 10 });
      const third = await steps.acquireOne({ workerId: "w-3", leaseMs: 1 });
      await steps.untilExpired(third);
      const fourth = await steps.acquireOne({ workerId: "w-4" });
      await steps.fail(fourth, "Error: last");
      const failed = await steps.get(created);
      const attempts = await attemptsOf(test, created);
      expect(attempts).toEqual([
        {
          ...{ leaseVersion: 1, attempt: 1, workerId: "w-1", outcome: "retried" },
          ...{ dueAt: created.scheduledAt, startedAt: first.lastAttemptAt },
          ...{ endedAt: attempts[0]?.endedAt, nextAt: due.scheduledAt },
          error: "Error: $one\n  at x",
        },
        {
          ...{ leaseVersion: 2, attempt: 2, workerId: "w-2", outcome: "lease_expired" },
          ...{ dueAt: due.scheduledAt, startedAt: second.lastAttemptAt },
          ...{ endedAt: attempts[1]?.endedAt, nextAt: due.scheduledAt },
          error: leaseExpiredError("w-2"),
        },
        {
          ...{ leaseVersion: 3, attempt: 3, workerId: "w-3", outcome: "lease_expired" },
          ...{ dueAt: due.scheduledAt, startedAt: third.lastAttemptAt },
          ...{ endedAt: attempts[2]?.endedAt, nextAt: due.scheduledAt },
          error: leaseExpiredError("w-3"),
        },
        {
          ...{ leaseVersion: 4, attempt: 4, workerId: "w-4", outcome: "failed" },
          ...{ dueAt: due.scheduledAt, startedAt: fourth.lastAttemptAt },
          ...{ endedAt: failed.finishedAt, nextAt: null, error: "Error: last" },
        },
      ]);
      for (const { startedAt, endedAt } of attempts) {
        expect(endedAt.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
      }
    },
  );

  rule(
    "An attempt that a cancellation ended has the outcome `cancelled`, and the error is that of `cancelledAttemptError`.",
    async (test) => {
      const { steps, stateAdapter } = test;
      const waiting = await steps.createOne({ typeName: "waiting" });
      const running = await steps.createRunning({}, { workerId: "w-1" });
      const sequences = [running, waiting].map(({ sequenceId: id }) => ({ id, lease: null }));
      const policy = { tree: false, dependants: "refuse", reason: '"$no"' } as const;
      await stateAdapter.cancelSequences({ sequences, ...policy });
      const cancelled = await steps.get(running);
      const attempts = await attemptsOf(test, running);
      expect(attempts).toEqual([
        {
          ...{ leaseVersion: 1, attempt: 1, workerId: "w-1", outcome: "cancelled" },
          ...{ dueAt: running.scheduledAt, startedAt: running.lastAttemptAt },
          ...{ endedAt: attempts[0]?.endedAt, nextAt: null, error: cancelledAttemptError },
        },
      ]);
      expect(attempts[0]?.endedAt.getTime()).toBeLessThanOrEqual(Number(cancelled.finishedAt));
      expect(await attemptsOf(test, waiting)).toEqual([]);
    },
  );

  rule(
    "A reschedule or a hand-back without an error, and a completion, leave no attempt behind.",
    async (test) => {
      const { steps } = test;
      const { id } = await steps.createOne();
      await retry(test, await steps.acquireOne(), null);
      await retry(test, await steps.acquireOne(), null, false);
      await steps.complete(await steps.acquireOne());
      expect(await attemptsOf(test, { id })).toEqual([]);
      expect(await steps.get({ id })).toMatchObject({ status: "completed", leaseVersion: 3 });
    },
  );

  rule("an outcome that is not written leaves no attempt behind", async (test) => {
    const { steps, stateAdapter } = test;
    const old = await steps.createRunning({}, { leaseMs: 1 });
    await steps.untilExpired(old);
    const { id } = await steps.acquireOne();
    await retry(test, old, "Error: late");
    await steps.fail(old, "Error: late");
    expect((await attemptsOf(test, { id })).map(({ outcome }) => outcome)).toEqual([
      "lease_expired",
    ]);
    const held = await steps.get({ id });
    const rollBack = new Error("rolled back on purpose");
    const { leaseVersion } = held;
    await stateAdapter
      .runInTransaction(async (context) => {
        await stateAdapter.failJobs({ context, jobs: [{ jobId: id, leaseVersion, error: "x" }] });
        throw rollBack;
      })
      .catch((error: unknown) => {
        if (error !== rollBack) throw error;
      });
    expect(await attemptsOf(test, { id })).toHaveLength(1);
  });

  rule(
    "attempts that failed alike keep their error when a later one fails otherwise",
    async (test) => {
      const { steps, stateAdapter } = test;
      const { id } = await steps.createOne();
      const errors = ["Error: a", "Error: a", "", "", "Error: b"];
      for (const error of errors) await retry(test, await steps.acquireOne(), error);
      const last = await steps.acquireOne();
      await steps.fail(last, "Error: b");
      await stateAdapter.retryFailedJobs({ ids: [id] });
      const sequences = [{ id: last.sequenceId, lease: null }];
      await steps.acquireOne();
      const policy = { tree: false, dependants: "refuse", reason: null } as const;
      await stateAdapter.cancelSequences({ sequences, ...policy });
      expect((await attemptsOf(test, { id })).map(({ error }) => error)).toEqual([
        ...errors,
        "Error: b",
        cancelledAttemptError,
      ]);
    },
  );

  rule(
    "At most the first attempt and the last 19 are kept. An error has at most 4,000 characters.",
    async (test) => {
      const { steps } = test;
      const { id } = await steps.createOne();
      for (let run = 1; run <= 25; run++) {
        await retry(test, await steps.acquireOne(), `${run} ${"é".repeat(9_000)}`);
      }
      const attempts = await attemptsOf(test, { id });
      const kept = [1, ...Array.from({ length: 19 }, (_, index) => index + 7)];
      expect(attempts.map(({ leaseVersion }) => leaseVersion)).toEqual(kept);
      expect(attempts.map(({ error }) => error.split(" ")[0])).toEqual(kept.map(String));
      expect(new Set(attempts.map(({ error }) => error.length))).toEqual(new Set([4_000]));
    },
  );

  rule(
    "Attempts are deleted with their job. Empty for a job that does not exist.",
    async (test) => {
      const { steps, stateAdapter, operator } = test;
      const kept = await steps.createFailed({ typeName: "kept" });
      const gone = await steps.createFailed({ typeName: "gone" });
      const absent = await steps.absentId();
      const jobIds = [gone.id, absent, kept.id];
      const counts = async () =>
        (await operator.listAttempts({ jobIds })).map(({ length }) => length);
      expect(await counts()).toEqual([1, 0, 1]);
      await stateAdapter.runInTransaction((context) =>
        stateAdapter.deleteSequences({ context, rootSequenceIds: [gone.id] }),
      );
      expect(await counts()).toEqual([0, 0, 1]);
      await steps.untilStoreTime(kept.finishedAt ?? new Date());
      await stateAdapter.deleteFinishedSequences({
        completedForMs: null,
        failedForMs: 0,
        cancelledForMs: null,
        limit: 9,
      });
      expect(await counts()).toEqual([0, 0, 0]);
      expect(await operator.listAttempts({ jobIds: [] })).toEqual([]);
    },
  );

  rule("a retried job keeps its attempts, and counts from 0 again", async (test) => {
    const { steps, stateAdapter } = test;
    const failed = await steps.createFailed({}, "Error: first");
    await stateAdapter.retryFailedJobs({ ids: [failed.id] });
    await retry(test, await steps.acquireOne(), `second ${minuteMs}`);
    const attempts = await attemptsOf(test, failed);
    expect(attempts.map(({ attempt, leaseVersion }) => [attempt, leaseVersion])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});
