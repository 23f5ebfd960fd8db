import { describe, expect, it } from "vitest";
import { aContinuation } from "../../src/testing/factories.ts";
import { anOperator } from "./a-client.ts";

describe("explain", () => {
  it("says that no job has the id", async () => {
    const { operator } = await anOperator();
    const explained = await operator.explain({ id: "job-404" });
    expect(explained).toMatchObject({ verdict: "stuck", reasons: [{ kind: "invisible" }] });
  });

  it("knows a due job", async () => {
    const { operator, steps, clock, live } = await anOperator();
    await live(["task"]);
    const { id } = await steps.createOne();
    clock.ms += 3_000;
    const explained = await operator.explain({ id });
    expect(explained).toMatchObject({
      verdict: "will_run",
      headline: `task ${id}: It has been due for 3 s, and 1 live worker may acquire it at any moment.`,
      reasons: [{ kind: "due_and_free", dueForMs: 3_000 }],
    });
    expect(explained.unknown).toEqual([]);
  });

  it("knows a scheduled job, a retry and a reschedule", async () => {
    const { operator, steps, state, live } = await anOperator();
    await live(["task", "b", "c"]);
    const later = await steps.createOne({ schedule: { afterMs: 60_000 } });
    expect(await operator.explain({ id: later.id })).toMatchObject({
      verdict: "waits",
      reasons: [{ kind: "scheduled", because: "start", inMs: 60_000 }],
      remedies: [{ action: "trigger", command: `queuert trigger ${later.id}` }],
    });
    const retried = await steps.createRunning({ typeName: "b" });
    const again = { jobId: retried.id, leaseVersion: 1, schedule: { afterMs: 5_000 } };
    await state.rescheduleJobs({
      jobs: [{ ...again, countsAttempt: true, error: "Error: bank\n at x" }],
    });
    expect((await operator.explain({ id: retried.id })).headline).toBe(
      `b ${retried.id}: It is retried in 5 s, after 1 attempt: Error: bank`,
    );
    const polling = await steps.createRunning({ typeName: "c" });
    await state.rescheduleJobs({
      jobs: [{ ...again, jobId: polling.id, countsAttempt: false, error: null }],
    });
    expect(await operator.explain({ id: polling.id })).toMatchObject({
      reasons: [{ kind: "scheduled", because: "rescheduled" }],
    });
  });

  it("knows a cancelled job, with its reason", async () => {
    const { operator, steps } = await anOperator();
    const job = await steps.createOne();
    await steps.cancel([job], { reason: '"order withdrawn"' });
    expect(await operator.explain({ id: job.id })).toMatchObject({
      verdict: "finished",
      headline: `task ${job.id}: It was cancelled 0 ms ago: order withdrawn.`,
      reasons: [{ kind: "cancelled", reason: "order withdrawn" }],
      remedies: [],
    });
  });

  it("knows a paused type, and when the pause ends", async () => {
    const { operator, steps, state, clock } = await anOperator();
    const { id } = await steps.createOne();
    const targets = [{ typeName: "task" }];
    await state.pause({ targets, forMs: 60_000, note: "provider down" });
    clock.ms += 10_000;
    const until = (await state.getPauses())[0]?.until;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "waits",
      headline: `task ${id}: The job type task was paused 10 s ago for 50 s more: provider down.`,
      runsAt: { earliest: until },
      remedies: [{ action: "resume" }],
    });
    await state.pause({ targets: [{ typeName: null }], forMs: null, note: null });
    const explained = await operator.explain({ id });
    expect(explained.verdict).toBe("stuck");
    expect(explained.reasons.slice(0, 2).map(({ kind }) => kind)).toEqual(["paused", "paused"]);
    expect(await steps.acquire()).toEqual([]);
    await state.resume({ targets: [...targets, { typeName: null }] });
    const { reasons } = await operator.explain({ id });
    expect(reasons.map(({ kind }) => kind)).not.toContain("paused");
  });

  it("knows a running job, and one whose lease has expired", async () => {
    const { operator, steps, clock, live } = await anOperator();
    await live(["task"], { beatMs: 1e9 });
    const { id } = await steps.createRunning();
    clock.ms += 10_000;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "running",
      reasons: [{ kind: "running", workerId: "worker-1", forMs: 10_000, leaseRemainingMs: 50_000 }],
    });
    clock.ms += 50_000;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "will_run",
      reasons: [{ kind: "lease_expired", expiredForMs: 0 }],
    });
  });

  it("knows finished jobs", async () => {
    const { operator, steps } = await anOperator();
    const completed = await steps.createCompleted();
    const failed = await steps.createFailed({ typeName: "b" }, "Error: no\n    at x.ts");
    expect(await operator.explain({ id: completed.id })).toMatchObject({
      verdict: "finished",
      reasons: [{ kind: "completed", workerId: "worker-1" }],
    });
    expect(await operator.explain({ id: failed.id })).toMatchObject({
      verdict: "finished",
      reasons: [{ kind: "failed", error: "Error: no", attempts: 1 }],
      remedies: [{ action: "retry", ids: [failed.id] }],
    });
  });

  it("finds the failed job behind blocked ones", async () => {
    const { operator, steps } = await anOperator();
    const charge = await steps.createFailed({ typeName: "charge" }, "BankError: closed");
    const pack = await steps.createCompleted({ typeName: "pack" });
    const bundle = await steps.createBlocked([charge], { typeName: "bundle" });
    const ship = await steps.createBlocked([pack, bundle], { typeName: "ship" });
    const explained = await operator.explain({ id: ship.id });
    expect(explained).toMatchObject({
      verdict: "stuck",
      reasons: [
        { kind: "blocked_by_failed", path: [{ jobId: bundle.id }, { jobId: charge.id }] },
        { kind: "blocked_by", open: [{ jobId: bundle.id }], done: [{ jobId: pack.id }] },
      ],
      rootCause: { reason: { kind: "failed", error: "BankError: closed" } },
      remedies: [
        { action: "retry", ids: [charge.id] },
        { action: "delete", ids: [ship.id] },
      ],
    });
    expect(explained.headline).toBe(
      `ship ${ship.id}: It waits for charge ${charge.id}, which failed: BankError: closed`,
    );
  });

  it("finds blockers that wait for each other", async () => {
    const { operator, steps, state } = await anOperator();
    const first = await steps.createRunning({ typeName: "first" });
    const second = await steps.createBlocked([first], { typeName: "second" });
    const next = await state.runInTransaction(async (context) => {
      const job = aContinuation(first, { typeName: "third", awaitsBlockers: true });
      const outcome = { kind: "continuation", job } as const;
      const { results } = await state.completeJobs({
        context,
        workerId: "worker-1",
        completions: [{ jobId: first.id, leaseVersion: 1, outcome }],
      });
      const [result] = results;
      if (result?.kind !== "completed" || result.continuation === null) throw new Error("lost");
      const jobs = [{ jobId: result.continuation.id, blockerSequenceIds: [second.id] }];
      await state.addBlockers({ context, jobs });
      return result.continuation;
    });
    for (const { id } of [next, second]) {
      expect(await operator.explain({ id })).toMatchObject({
        verdict: "stuck",
        reasons: [{ kind: "blocked_in_a_circle" }, { kind: "blocked_by" }],
        remedies: [{ action: "delete" }],
      });
    }
  });

  it("knows a job without a worker, and the nearest name", async () => {
    const { operator, steps, clock, live } = await anOperator();
    const { id } = await steps.createOne({ typeName: "resize-image" });
    await live(["resize-images"]);
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "stuck",
      headline: `resize-image ${id}: No live worker implements resize-image. A live worker implements "resize-images".`,
      reasons: [{ kind: "no_worker", lastWorkerId: null }],
      remedies: [{ action: "start_worker" }],
    });
    await live(["resize-image"]);
    expect((await operator.explain({ id })).verdict).toBe("will_run");
    clock.ms += 10 * 60_000;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "stuck",
      headline: `resize-image ${id}: No live worker implements resize-image. The last was worker-1, 10 min ago.`,
      reasons: [{ kind: "no_worker", lastWorkerId: "worker-1" }],
    });
  });

  it("knows full workers, and the jobs that come before", async () => {
    const { operator, steps, live } = await anOperator();
    await live(["task"], { concurrency: 4, busy: 4 });
    await steps.create({ priority: 3 }, {});
    const { id } = await steps.createOne();
    const explained = await operator.explain({ id });
    expect(explained).toMatchObject({
      verdict: "will_run",
      reasons: [
        { kind: "workers_full", online: 1, slots: 4, busy: 4 },
        { kind: "behind", ahead: 2, higherPriority: 1, isAtLeast: false },
      ],
    });
    expect(explained.reasons.map(({ text }) => text)).toEqual([
      "All 4 slots of 1 worker are busy.",
      "In its type, 2 due jobs come before it.",
    ]);
  });

  it("knows that the worker of a running job is gone", async () => {
    const { operator, steps, clock, live } = await anOperator();
    await live(["task"], { beatMs: 4_000 });
    const { id } = await steps.createRunning();
    clock.ms += 11_000;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "waits",
      reasons: [{ kind: "worker_gone", workerId: "worker-1", leaseRemainingMs: 49_000 }],
    });
    clock.ms += 60_000;
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "stuck",
      reasons: [{ kind: "lease_expired", liveWorkers: 0 }],
      remedies: [{ action: "start_worker" }],
    });
  });

  it("finds the blocker that no worker implements", async () => {
    const { operator, steps, live } = await anOperator();
    await live(["ship"]);
    const charge = await steps.createOne({ typeName: "charge" });
    const ship = await steps.createBlocked([charge], { typeName: "ship" });
    expect(await operator.explain({ id: ship.id })).toMatchObject({
      verdict: "stuck",
      reasons: [{ kind: "blocked_by" }],
      rootCause: { path: [{ jobId: charge.id }], reason: { kind: "no_worker" } },
      remedies: [{ action: "start_worker" }],
    });
  });
});
