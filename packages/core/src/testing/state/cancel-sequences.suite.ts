import { expect } from "vitest";
import { blockerCancelledError, blockerFailedError } from "../../adapter-kit/stored-texts.ts";
import type { CancelSequencesResult } from "../../adapters/state-adapter-params.ts";
import type { StateJob } from "../../model/state-job.ts";
import { jobs } from "../factories.ts";
import { cancelContinuingSuite } from "./cancel-sequences.continuing.suite.ts";
import { cancelFailedSuite } from "./cancel-sequences.failed.suite.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import type { StateSteps } from "../steps.ts";

type Cancelled = Extract<CancelSequencesResult, { readonly kind: "cancelled" }>;

const cancelled = (result: CancelSequencesResult): Cancelled => {
  if (result.kind === "blocking") throw new Error("The cancellation was refused");
  return result;
};

const idsOf = (jobs: readonly { readonly id: string }[]): readonly string[] =>
  jobs.map(({ id }) => id).sort();

/** A job that another one has started. */
const startedBy = (
  steps: StateSteps,
  parent: StateJob,
  newJob: Partial<Parameters<StateSteps["createOne"]>[0]> = {},
): Promise<StateJob> =>
  steps.createOne({ ...newJob, rootSequenceId: parent.rootSequenceId, originId: parent.id });

const statusesOf = (steps: StateSteps, jobs: readonly StateJob[]): Promise<readonly string[]> =>
  Promise.all(jobs.map(async (job) => (await steps.get(job)).status));

const ends: StateSuite = defineStateSuite("cancelSequences", (rule) => {
  rule("Blocked, pending and running jobs alike.", async ({ steps }) => {
    const running = await steps.createRunning({ typeName: "running" });
    const pending = await steps.createOne({ typeName: "pending" });
    const blocker = await steps.createOne({ typeName: "blocker" });
    const blocked = await steps.createBlocked([blocker]);
    const result = cancelled(
      await steps.cancel([running, pending, blocked], { reason: "\"why\\n'it' ended\"" }),
    );
    expect(result.results).toEqual([1, 2, 3].map(() => ({ kind: "cancelled" })));
    expect(result.dependants).toEqual([]);
    expect(idsOf(result.jobs)).toEqual(idsOf([running, pending, blocked]));
    expect(result.jobs.filter(({ wasRunning }) => wasRunning)).toEqual([
      {
        id: running.id,
        typeName: "running",
        sequenceId: running.id,
        sequenceTypeName: "running",
        rootSequenceId: running.id,
        originId: null,
        wasRunning: true,
      },
    ]);
    for (const job of [running, pending, blocked]) {
      const read = await steps.get(job);
      expect(read).toMatchObject({
        status: "cancelled",
        output: "\"why\\n'it' ended\"",
        leasedBy: null,
        leasedUntil: null,
        completedBy: null,
        attempt: job.attempt,
        leaseVersion: job.leaseVersion,
        input: job.input,
      });
      expect(read.finishedAt).not.toBeNull();
    }
    expect(await steps.acquire({ typeName: "pending" })).toEqual([]);
    expect((await steps.get(blocker)).status).toBe("pending");
  });

  rule("a job without a reason has no output", async ({ steps }) => {
    expect(await steps.createCancelled()).toMatchObject({ status: "cancelled", output: null });
  });

  rule("an empty list cancels nothing", async ({ steps }) => {
    const nothing = { kind: "cancelled", results: [], jobs: [], dependants: [], unblocked: [] };
    expect(await steps.cancel([])).toEqual(nothing);
  });

  rule(
    "a later write under its lease is lost, with the reason cancelled, and stores nothing",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createRunning();
      await steps.cancel([job]);
      const read = await steps.get(job);
      const lost = { kind: "lost", reason: "cancelled" };
      expect(await steps.complete(job)).toMatchObject({ ...lost, storedByThisLease: false });
      expect(await steps.completeWithoutWorker(job)).toMatchObject(lost);
      expect(await steps.reschedule(job)).toEqual(lost);
      expect(await steps.renew(job)).toEqual(lost);
      const { id: jobId, leaseVersion } = job;
      const failing = await stateAdapter.failJobs({ jobs: [{ jobId, leaseVersion, error: "x" }] });
      expect(failing.results).toEqual([lost]);
      expect(await stateAdapter.retryFailedJobs({ ids: [job.id] })).toEqual([
        { kind: "refused", reason: "not_failed" },
      ]);
      expect(await stateAdapter.triggerJobs({ ids: [job.id] })).toEqual([
        { kind: "refused", reason: "not_pending" },
      ]);
      expect(await steps.get(job)).toEqual(read);
    },
  );

  rule(
    "an expired lease is not reclaimed from a cancelled job",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(job);
      await steps.cancel([job]);
      expect(await stateAdapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
      expect(await steps.acquire()).toEqual([]);
    },
  );

  rule(
    "A sequence that has ended already is refused, and the others are cancelled.",
    async ({ steps, stateAdapter }) => {
      const completed = await steps.createCompleted();
      const failed = await steps.createFailed();
      const again = await steps.createCancelled();
      const pending = await steps.createOne();
      const missing = await steps.absentId();
      const ids = [completed.id, failed.id, missing, pending.id, again.id];
      const result = await stateAdapter.cancelSequences({
        sequences: ids.map((id) => ({ id, lease: null })),
        ...({ tree: true, dependants: "refuse", reason: null } as const),
      });
      const ended = { kind: "refused", reason: "already_ended" };
      expect(cancelled(result).results).toEqual([
        ended,
        ended,
        { kind: "refused", reason: "not_found" },
        { kind: "cancelled" },
        ended,
      ]);
      expect(idsOf(cancelled(result).jobs)).toEqual([pending.id]);
      expect(await steps.get(failed)).toEqual(failed);
      expect(await steps.get(completed)).toEqual(completed);
    },
  );

  rule("an id given twice is cancelled once", async ({ steps }) => {
    const job = await steps.createOne();
    expect(cancelled(await steps.cancel([job, job])).jobs).toHaveLength(1);
  });

  rule("After a continuation the next job is cancelled.", async ({ steps }) => {
    const first = await steps.createRunning();
    const next = await steps.continueWith(first);
    const { jobs } = cancelled(await steps.cancel([first]));
    expect(idsOf(jobs)).toEqual([next.id]);
    expect((await steps.get(first)).status).toBe("completed");
    expect((await steps.getSequence(first.id)).current.status).toBe("cancelled");
  });

  rule("the id of a later job names no sequence", async ({ steps, stateAdapter }) => {
    const first = await steps.createRunning();
    const next = await steps.continueWith(first);
    const result = await stateAdapter.cancelSequences({
      sequences: [{ id: next.id, lease: null }],
      ...({ tree: true, dependants: "refuse", reason: null } as const),
    });
    expect(cancelled(result).results).toEqual([{ kind: "refused", reason: "not_found" }]);
  });

  rule("with a lease, only while it is held", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    const cancelUnder = async (leaseVersion: number) => {
      const result = await stateAdapter.cancelSequences({
        sequences: [{ id: job.id, lease: { jobId: job.id, leaseVersion } }],
        ...({ tree: true, dependants: "fail", reason: null } as const),
      });
      return cancelled(result).results;
    };
    const taken = { kind: "lost", reason: "taken_by_another_worker" };
    expect(await cancelUnder(job.leaseVersion + 1)).toEqual([taken]);
    expect(await steps.get(job)).toEqual(job);
    expect(await cancelUnder(job.leaseVersion)).toEqual([{ kind: "cancelled" }]);
    expect(await cancelUnder(job.leaseVersion)).toEqual([{ kind: "lost", reason: "cancelled" }]);
  });

  rule(
    "A cancelled sequence no longer holds its deduplication key, under neither strategy.",
    async ({ steps }) => {
      for (const strategy of ["completed", "all"] as const) {
        const typeName = strategy;
        const deduplication = { key: "k", strategy, windowMs: null };
        const standing = await steps.createOne({ typeName, deduplication });
        await steps.cancel([standing]);
        const next = await steps.createOne({ typeName, deduplication });
        expect(next.id).not.toBe(standing.id);
        const again = await steps.createOne({ typeName, deduplication });
        expect(again.id).toBe(next.id);
      }
    },
  );

  rule('under "all" an older sequence that completed holds the key', async ({ steps }) => {
    const deduplication = { key: "k", strategy: "all", windowMs: null } as const;
    const older = await steps.createCompleted({
      deduplication: { ...deduplication, strategy: "completed" },
    });
    const newer = await steps.createOne({
      deduplication: { ...deduplication, strategy: "completed" },
    });
    await steps.cancel([newer]);
    expect((await steps.createOne({ deduplication })).id).toBe(older.id);
  });

  rule("All or none, in one transaction.", async ({ steps, stateAdapter, runInTransaction }) => {
    const jobs = await steps.create({}, {});
    const rolledBack = new Error("rolled back on purpose");
    const running = runInTransaction(async (context) => {
      await stateAdapter.cancelSequences({
        ...{ context, tree: true, dependants: "refuse", reason: null },
        sequences: jobs.map(({ id }) => ({ id, lease: null })),
      });
      throw rolledBack;
    });
    await expect(running).rejects.toBe(rolledBack);
    expect(await statusesOf(steps, jobs)).toEqual(["pending", "pending"]);
    expect(await steps.acquire({ limit: 5 })).toHaveLength(2);
  });
});

const trees: StateSuite = defineStateSuite("cancelSequences, trees", (rule) => {
  rule(
    "`tree`: also the sequences that were started for them, and for those in turn.",
    async ({ steps }) => {
      const root = await steps.createRunning({ typeName: "root" });
      const next = await steps.continueWith(root);
      const child = await startedBy(steps, root, { typeName: "child" });
      const running = await steps.acquireOne({ typeName: "child" });
      const grandchild = await startedBy(steps, child, { typeName: "grandchild" });
      const later = await startedBy(steps, next, { typeName: "later" });
      const other = await steps.createOne({ typeName: "other" });
      const { jobs, results } = cancelled(await steps.cancel([root]));
      expect(results).toEqual([{ kind: "cancelled" }]);
      expect(idsOf(jobs)).toEqual(idsOf([next, child, grandchild, later]));
      expect(jobs.find(({ id }) => id === running.id)?.wasRunning).toBe(true);
      expect((await steps.get(other)).status).toBe("pending");
    },
  );

  rule("a sequence in a tree is cancelled with its own part of it only", async ({ steps }) => {
    const root = await steps.createOne({ typeName: "root" });
    const child = await startedBy(steps, root, { typeName: "child" });
    const sibling = await startedBy(steps, root, { typeName: "sibling" });
    const grandchild = await startedBy(steps, child, { typeName: "grandchild" });
    const { jobs } = cancelled(await steps.cancel([child]));
    expect(idsOf(jobs)).toEqual(idsOf([child, grandchild]));
    expect(await statusesOf(steps, [root, sibling])).toEqual(["pending", "pending"]);
  });

  rule("through a child that has ended, to those that it started", async ({ steps }) => {
    const root = await steps.createOne({ typeName: "root" });
    const child = await startedBy(steps, root, { typeName: "child" });
    const grandchild = await startedBy(steps, child, { typeName: "grandchild" });
    await steps.complete(await steps.acquireOne({ typeName: "child" }));
    const { jobs } = cancelled(await steps.cancel([root]));
    expect(idsOf(jobs)).toEqual(idsOf([root, grandchild]));
  });

  rule("without `tree` only the sequences themselves", async ({ steps }) => {
    const root = await steps.createOne({ typeName: "root" });
    const child = await startedBy(steps, root, { typeName: "child" });
    const { jobs } = cancelled(await steps.cancel([root], { tree: false }));
    expect(idsOf(jobs)).toEqual([root.id]);
    expect((await steps.get(child)).status).toBe("pending");
  });

  rule("blockers that were started for a job are cancelled with it", async ({ steps }) => {
    const waiting = await steps.createOne({ typeName: "waiting" });
    const blocker = await startedBy(steps, waiting, { typeName: "blocker" });
    const blocked = await steps.createBlocked([blocker], {
      typeName: "blocked",
      rootSequenceId: waiting.id,
      originId: waiting.id,
    });
    const { jobs } = cancelled(await steps.cancel([waiting]));
    expect(idsOf(jobs)).toEqual(idsOf([waiting, blocker, blocked]));
  });

  rule(
    "One that a job outside waits for is left as it is, with the sequences that were started for it.",
    async ({ steps }) => {
      const root = await steps.createOne({ typeName: "root" });
      const shared = await startedBy(steps, root, { typeName: "shared" });
      const below = await startedBy(steps, shared, { typeName: "below" });
      const own = await startedBy(steps, root, { typeName: "own" });
      const outside = await steps.createBlocked([shared], { typeName: "outside" });
      const { jobs } = cancelled(await steps.cancel([root]));
      expect(idsOf(jobs)).toEqual(idsOf([root, own]));
      expect(await statusesOf(steps, [shared, below, outside])).toEqual([
        "pending",
        "pending",
        "blocked",
      ]);
      await steps.complete(await steps.acquireOne({ typeName: "shared" }));
      expect((await steps.get(outside)).status).toBe("pending");
    },
  );

  rule("a sequence that is left keeps the blockers it waits for", async ({ steps }) => {
    const root = await steps.createOne({ typeName: "root" });
    const place = { rootSequenceId: root.id, originId: root.id };
    const needed = await steps.createOne({ typeName: "needed", ...place });
    const shared = await steps.createBlocked([needed], { typeName: "shared", ...place });
    const outside = await steps.createBlocked([shared], { typeName: "outside" });
    const { jobs } = cancelled(await steps.cancel([root]));
    expect(idsOf(jobs)).toEqual([root.id]);
    expect(await statusesOf(steps, [needed, shared, outside])).toEqual([
      "pending",
      "blocked",
      "blocked",
    ]);
  });

  rule("a tree of 300 sequences in one call", async ({ steps }) => {
    const root = await steps.createOne({ typeName: "root" });
    const children = await steps.create(
      ...Array.from({ length: 300 }, () => ({
        ...{ typeName: "child", rootSequenceId: root.id, originId: root.id },
      })),
    );
    const { jobs } = cancelled(await steps.cancel([root]));
    expect(idsOf(jobs)).toEqual(idsOf([root, ...children]));
    expect(await steps.acquire({ typeName: "child", limit: 5 })).toEqual([]);
  });
});

const dependants: StateSuite = defineStateSuite("cancelSequences, dependants", (rule) => {
  rule(
    'A job outside that waits for a cancelled sequence: with `"refuse"` nothing is written, and the edges are returned.',
    async ({ steps }) => {
      const other = await steps.createOne({ typeName: "other" });
      const job = await steps.createRunning({ typeName: "job" });
      const waiting = await steps.createBlocked([other, job]);
      expect(await steps.cancel([other, job])).toEqual({
        kind: "blocking",
        edges: [other, job].map(({ id }, index) => ({
          jobId: waiting.id,
          sequenceId: waiting.id,
          blockerSequenceId: id,
          index,
        })),
      });
      expect(await steps.get(job)).toEqual(job);
      expect(await steps.get(other)).toEqual(other);
    },
  );

  rule(
    "A blocker that was cancelled: the job is `failed`, in the words of `blockerCancelledError`. It would wait for ever.",
    async ({ steps }) => {
      const blocker = await steps.createCancelled({ typeName: "blocker" });
      const fine = await steps.createOne({ typeName: "fine" });
      const job = await steps.createBlocked([fine, blocker]);
      expect(job).toMatchObject({
        status: "failed",
        lastAttemptError: blockerCancelledError(blocker.id),
      });
      expect(job.finishedAt).not.toBeNull();
      expect(await steps.get(job)).toEqual(job);
    },
  );

  rule("a job that does not wait any more does not forbid it", async ({ steps }) => {
    const job = await steps.createOne({ typeName: "job" });
    for (const typeName of ["completed", "cancelled"]) {
      const waiting = await steps.createBlocked([job], { typeName });
      if (typeName === "completed") await steps.completeWithoutWorker(waiting);
      else await steps.cancel([waiting]);
    }
    const { jobs } = cancelled(await steps.cancel([job]));
    expect(idsOf(jobs)).toEqual([job.id]);
  });

  rule(
    'With `"fail"` it fails, and every job that waits for its sequence in turn, at any `onBlockerFailure`.',
    async ({ steps }) => {
      const job = await steps.createOne({ typeName: "job" });
      const first = await steps.createBlocked([job], { typeName: "first" });
      const onBlockerFailure = "fail";
      const second = await steps.createBlocked([first], { typeName: "second", onBlockerFailure });
      const third = await steps.createBlocked([second, first], { typeName: "third" });
      const result = cancelled(await steps.cancel([job], { dependants: "fail" }));
      expect(idsOf(result.jobs)).toEqual([job.id]);
      expect(idsOf(result.dependants)).toEqual(idsOf([first, second, third]));
      for (const { id, error } of result.dependants) {
        const read = await steps.get({ id });
        expect(read).toMatchObject({ status: "failed", lastAttemptError: error });
        expect(read.finishedAt).not.toBeNull();
      }
      expect((await steps.get(first)).lastAttemptError).toBe(blockerCancelledError(job.id));
      expect((await steps.get(second)).lastAttemptError).toBe(blockerFailedError(first.id));
    },
  );

  rule("a job that failed so no longer holds its key", async ({ steps }) => {
    const deduplication = { key: "k", strategy: "completed", windowMs: null } as const;
    const job = await steps.createOne({ typeName: "job" });
    const waiting = await steps.createBlocked([job], { deduplication });
    await steps.cancel([job], { dependants: "fail" });
    expect((await steps.createOne({ deduplication })).id).not.toBe(waiting.id);
  });

  rule('With `"cancel"` its sequence is cancelled too, with its tree.', async ({ steps }) => {
    const job = await steps.createOne({ typeName: "job" });
    const first = await steps.createBlocked([job], { typeName: "first" });
    const child = await startedBy(steps, first, { typeName: "child" });
    const second = await steps.createBlocked([first], { typeName: "second" });
    const result = cancelled(await steps.cancel([job], { dependants: "cancel" }));
    expect(idsOf(result.jobs)).toEqual(idsOf([job, first, child, second]));
    expect(result.dependants).toEqual([]);
    expect(await statusesOf(steps, [job, first, child, second])).toEqual([
      ...["cancelled", "cancelled", "cancelled", "cancelled"],
    ]);
  });

  rule("a circle of sequences that wait for each other", async (test) => {
    const { steps, runInTransaction, stateAdapter } = test;
    const [one, other] = await runInTransaction(async (context) => {
      const created = await stateAdapter.createJobs({
        context,
        jobs: jobs(2, { awaitsBlockers: true }),
      });
      const [first, second] = created.map(({ job }) => job) as [StateJob, StateJob]; // Two jobs.
      await stateAdapter.addBlockers({
        context,
        jobs: [
          { jobId: first.id, blockerSequenceIds: [second.id] },
          { jobId: second.id, blockerSequenceIds: [first.id] },
        ],
      });
      return [first, second];
    });
    expect((await steps.cancel([one])).kind).toBe("blocking");
    const result = cancelled(await steps.cancel([one], { dependants: "cancel" }));
    expect(idsOf(result.jobs)).toEqual(idsOf([one, other]));
  });
});

export const cancelSequencesSuites: readonly StateSuite[] = [
  ends,
  trees,
  dependants,
  cancelContinuingSuite,
  cancelFailedSuite,
];
