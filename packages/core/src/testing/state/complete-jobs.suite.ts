import { expect } from "vitest";
import type { JobCompletion } from "../../adapters/state-adapter-params.ts";
import { aContinuation, minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

const withOutput = (
  { id, leaseVersion }: { readonly id: string; readonly leaseVersion: number | null },
  output = '"done"',
): JobCompletion => ({ jobId: id, leaseVersion, outcome: { kind: "output", output } });

const completed: StateSuite = defineStateSuite("completeJobs", (rule) => {
  rule("`output`: ends the sequence.", async ({ steps }) => {
    const job = await steps.createRunning();
    const result = await steps.complete(job, '{"a":[1]}', "worker-9");
    const read = await steps.get(job);
    expect(read).toMatchObject({
      status: "completed",
      output: '{"a":[1]}',
      continuedToId: null,
      completedBy: "worker-9",
      leaseVersion: 1,
      attempt: 1,
    });
    expect(read.leasedUntil).toBeNull();
    expect(result).toEqual({
      kind: "completed",
      completedAt: read.finishedAt,
      continuation: null,
    });
    expect((await steps.getSequence(job.id)).current).toEqual(read);
  });

  rule(
    "`continuation`: stores the next job at `position + 1`, in the same sequence.",
    async ({ steps, stateAdapter }) => {
      const root = await steps.createOne({ typeName: "root" });
      const first = await steps.createRunning({ rootSequenceId: root.id, originId: root.id });
      const next = aContinuation(first, { typeName: "step", input: "[2]", priority: 4 });
      const { results, unblocked } = await stateAdapter.completeJobs({
        workerId: "w",
        completions: [{ ...withOutput(first), outcome: { kind: "continuation", job: next } }],
      });
      expect(unblocked).toEqual([]);
      const result = only(results);
      if (result.kind !== "completed" || result.continuation === null) throw new Error("no job");
      expect(result.continuation).toMatchObject({
        typeName: "step",
        sequenceId: first.id,
        sequenceTypeName: "task",
        rootSequenceId: root.id,
        originId: first.id,
        position: 1,
        status: "pending",
        input: "[2]",
        priority: 4,
      });
      expect(await steps.get(result.continuation)).toEqual(result.continuation);
      expect(await steps.get(first)).toMatchObject({
        status: "completed",
        output: null,
        continuedToId: result.continuation.id,
      });
      expect((await steps.getSequence(first.id)).current).toEqual(result.continuation);
      expect(await steps.acquire({ typeName: "step" })).toHaveLength(1);
    },
  );

  rule("a continuation keeps its schedule, and can wait for blockers", async ({ steps }) => {
    const first = await steps.createRunning();
    const next = await steps.continueWith(first, {
      schedule: { afterMs: minuteMs },
      awaitsBlockers: true,
    });
    expect(next.status).toBe("blocked");
    expect(next.scheduledAt.getTime() - next.createdAt.getTime()).toBe(minuteMs);
  });

  rule(
    "`continuedToId`: the next job has been stored already, by `createJobs`.",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const first = await steps.createRunning();
      const next = await runInTransaction(async (context) => {
        const { job } = only(
          await stateAdapter.createJobs({ context, jobs: [aContinuation(first)] }),
        );
        const { results } = await stateAdapter.completeJobs({
          context,
          workerId: "w",
          completions: [{ ...withOutput(first), outcome: { kind: "continuedTo", jobId: job.id } }],
        });
        expect(only(results)).toMatchObject({ kind: "completed", continuation: null });
        return job;
      });
      expect(await steps.get(first)).toMatchObject({ continuedToId: next.id, output: null });
      expect((await steps.getSequence(first.id)).current.id).toBe(next.id);
    },
  );

  rule(
    "positions go on from continuation to continuation, also in one transaction",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const first = await steps.createOne();
      const last = await runInTransaction(async (context) => {
        let job = first;
        for (let position = 1; position <= 4; position += 1) {
          const outcome = { kind: "continuation", job: aContinuation(job) } as const;
          const completions = [{ jobId: job.id, leaseVersion: null, outcome }];
          const { results } = await stateAdapter.completeJobs({
            context,
            workerId: null,
            completions,
          });
          const result = only(results);
          if (result.kind !== "completed" || result.continuation === null)
            throw new Error("no job");
          job = result.continuation;
          expect(job.position).toBe(position);
        }
        return job;
      });
      const { current } = await steps.getSequence(first.id);
      expect(current).toEqual(last);
      expect(current.status).toBe("pending");
    },
  );

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    const result = await stateAdapter.completeJobs({ workerId: "w", completions: [] });
    expect(result).toEqual({ results: [], unblocked: [] });
  });

  rule("results are in the order of the completions", async ({ steps, stateAdapter }) => {
    const created = await steps.create(...Array.from({ length: 12 }, () => ({})));
    const running = (await steps.acquire({ limit: 12 })).map(({ job }) => job);
    expect(running).toHaveLength(created.length);
    const order = [...running].reverse();
    const completions = order.map((job, index): JobCompletion => {
      if (index % 3 === 0) return withOutput({ ...job, leaseVersion: 99 });
      if (index % 3 === 1) return withOutput(job);
      const next = aContinuation(job, { input: String(index) });
      return { ...withOutput(job), outcome: { kind: "continuation", job: next } };
    });
    const { results } = await stateAdapter.completeJobs({ workerId: "w", completions });
    for (const [index, result] of results.entries()) {
      if (index % 3 === 0) expect(result.kind).toBe("lost");
      else if (index % 3 === 1) expect(result).toMatchObject({ continuation: null });
      else
        expect(result).toMatchObject({
          continuation: { input: String(index), originId: order[index]?.id },
        });
    }
    expect(results).toHaveLength(12);
  });

  rule("runs in the transaction of its context", async ({ steps, openTransaction }) => {
    const job = await steps.createRunning();
    const transaction = await openTransaction();
    await transaction.steps.complete(job);
    expect((await transaction.steps.get(job)).status).toBe("completed");
    await transaction.rollback();
    expect(await steps.get(job)).toEqual(job);
  });

  rule(
    "a rolled back continuation is gone, and the job is running as before",
    async ({ steps, openTransaction, stateAdapter }) => {
      const job = await steps.createRunning();
      const transaction = await openTransaction();
      const next = await transaction.steps.continueWith(job);
      await transaction.rollback();
      expect(await stateAdapter.getJobs({ ids: [next.id] })).toEqual([undefined]);
      expect(await steps.get(job)).toEqual(job);
      expect(await steps.acquire({ typeName: "next" })).toEqual([]);
      expect(await steps.complete(job)).toMatchObject({ kind: "completed" });
    },
  );
});

const fenced: StateSuite = defineStateSuite("completeJobs, leases", (rule) => {
  rule(
    "An element names the `leaseVersion` it holds, and is written while the job is running under it, expired or not.",
    async ({ steps }) => {
      const expired = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(expired);
      expect(await steps.complete(expired, '"late"')).toMatchObject({ kind: "completed" });
      expect((await steps.get(expired)).output).toBe('"late"');
    },
  );

  rule("an old lease writes nothing, for any current holder", async ({ steps }) => {
    for (const workerId of ["worker-1", "worker-2"]) {
      const typeName = `of ${workerId}`;
      const old = await steps.createRunning({ typeName }, { workerId: "worker-1", leaseMs: 1 });
      await steps.untilExpired(old);
      const current = await steps.acquireOne({ typeName, workerId });
      expect(await steps.complete(old, '"zombie"')).toEqual({
        kind: "lost",
        reason: "taken_by_another_worker",
        storedByThisLease: false,
      });
      expect(await steps.get(current)).toEqual(current);
    }
  });

  rule("a job given back is not completed under its old lease", async ({ steps }) => {
    const job = await steps.createRunning();
    await steps.reschedule(job);
    expect(await steps.complete(job)).toMatchObject({
      kind: "lost",
      reason: "taken_by_another_worker",
    });
    expect((await steps.get(job)).status).toBe("pending");
  });

  rule(
    "a failed or deleted job is not completed",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const failed = await steps.createRunning({ typeName: "failed" });
      await steps.fail(failed);
      expect(await steps.complete(failed)).toEqual({
        kind: "lost",
        reason: "already_completed",
        storedByThisLease: false,
      });
      const deleted = await steps.createRunning({ typeName: "deleted" });
      await runInTransaction((context) =>
        stateAdapter.deleteSequences({ context, rootSequenceIds: [deleted.id] }),
      );
      expect(await steps.complete(deleted)).toEqual({
        kind: "lost",
        reason: "not_found",
        storedByThisLease: false,
      });
    },
  );

  rule(
    "Without one (completion without a worker) any unfinished status will do.",
    async ({ steps }) => {
      const blocker = await steps.createOne({ typeName: "blocker" });
      const blocked = await steps.createBlocked([blocker], { typeName: "blocked" });
      const running = await steps.createRunning({ typeName: "running" });
      const pending = await steps.createOne({ schedule: { afterMs: minuteMs } });
      for (const job of [blocked, running, pending]) {
        expect(await steps.completeWithoutWorker(job)).toMatchObject({ kind: "completed" });
        expect(await steps.get(job)).toMatchObject({ status: "completed", completedBy: null });
      }
      expect(await steps.acquire()).toEqual([]);
    },
  );

  rule("completion without a worker leaves finished jobs alone", async ({ steps }) => {
    const completed = await steps.createCompleted({ typeName: "completed" }, '"first"');
    const failed = await steps.createFailed({ typeName: "failed" });
    for (const job of [completed, failed]) {
      expect(await steps.completeWithoutWorker(job, '"second"')).toMatchObject({
        kind: "lost",
        reason: "already_completed",
      });
      expect(await steps.get(job)).toEqual(job);
    }
    expect(await steps.completeWithoutWorker({ id: await steps.absentId() })).toMatchObject({
      kind: "lost",
      reason: "not_found",
    });
  });

  rule(
    "An element that is not written says why, and whether the stored completion is this very lease's (`storedByThisLease`)",
    async ({ steps }) => {
      const job = await steps.createRunning();
      await steps.complete(job, '"first"');
      const lost = { kind: "lost", reason: "already_completed" } as const;
      expect(await steps.complete(job, '"again"')).toEqual({ ...lost, storedByThisLease: true });
      const older = { ...job, leaseVersion: job.leaseVersion - 1 };
      expect(await steps.complete(older)).toEqual({ ...lost, storedByThisLease: false });
      expect((await steps.get(job)).output).toBe('"first"');
    },
  );

  rule("a continuation stored by this lease is recognised too", async ({ steps, stateAdapter }) => {
    const job = await steps.createRunning();
    const next = await steps.continueWith(job);
    const { results } = await stateAdapter.completeJobs({
      workerId: "worker-1",
      completions: [
        { ...withOutput(job), outcome: { kind: "continuation", job: aContinuation(job) } },
      ],
    });
    expect(only(results)).toMatchObject({ reason: "already_completed", storedByThisLease: true });
    expect((await steps.getSequence(job.id)).current.id).toBe(next.id);
    expect(await steps.acquire({ typeName: "next", limit: 5 })).toHaveLength(1);
  });

  rule(
    "a completion without a worker was not stored by the lease that it overtook",
    async ({ steps }) => {
      const job = await steps.createRunning();
      await steps.completeWithoutWorker(job, '"outside"');
      expect(await steps.complete(job, '"worker"')).toEqual({
        kind: "lost",
        reason: "already_completed",
        storedByThisLease: false,
      });
      expect((await steps.get(job)).output).toBe('"outside"');
    },
  );

  rule(
    "an element that no longer holds is returned as such; the others are written",
    async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, {});
      const running = (await steps.acquire({ limit: 3 })).map(({ job }) => job);
      await steps.completeWithoutWorker(running[1] ?? { id: "" });
      const { results } = await stateAdapter.completeJobs({
        workerId: "w",
        completions: running.map((job) => withOutput(job)),
      });
      expect(results.map(({ kind }) => kind)).toEqual(["completed", "lost", "completed"]);
    },
  );

  rule("the same job twice in one call is completed once", async ({ steps, stateAdapter }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    await steps.createBlocked([blocker]);
    const { results, unblocked } = await stateAdapter.completeJobs({
      workerId: "w",
      completions: [withOutput(blocker, "1"), withOutput(blocker, "2")],
    });
    expect(results.map(({ kind }) => kind)).toEqual(["completed", "lost"]);
    expect(unblocked).toHaveLength(1);
    expect((await steps.get(blocker)).output).toBe("1");
  });
});

export const completeJobsSuites: readonly StateSuite[] = [completed, fenced];
