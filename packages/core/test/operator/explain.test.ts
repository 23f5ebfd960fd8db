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

  it("knows that a job may go on without a failed blocker", async () => {
    const { operator, steps } = await anOperator();
    const charge = await steps.createFailed({ typeName: "charge" }, "BankError: closed");
    const pack = await steps.createOne({ typeName: "pack" });
    const onBlockerFailure = "continue";
    const ship = await steps.createBlocked([charge, pack], { typeName: "ship", onBlockerFailure });
    const { reasons, rootCause } = await operator.explain({ id: ship.id });
    expect(reasons).toMatchObject([
      { kind: "blocked_by", open: [{ jobId: pack.id }], done: [{ jobId: charge.id }] },
    ]);
    expect(rootCause?.path).toMatchObject([{ jobId: pack.id }]);
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

  it("retries failed blockers together with the jobs that failed with them", async () => {
    const { operator, steps, state } = await anOperator();
    const onBlockerFailure = "fail";
    const charge = await steps.createRunning({ typeName: "charge" });
    const bundle = await steps.createBlocked([charge], { typeName: "bundle", onBlockerFailure });
    const ship = await steps.createBlocked([bundle], { typeName: "ship", onBlockerFailure });
    const mail = await steps.createBlocked([bundle], { typeName: "mail" });
    await steps.fail(charge, "BankError: closed");
    const ids = [charge.id, bundle.id];
    const ofBundle = await operator.explain({ id: bundle.id });
    expect(ofBundle.remedies).toEqual([
      {
        ...{ action: "retry", ids, command: `queuert retry ${ids.join(" ")}` },
        effect: `Runs bundle ${bundle.id} again after 1 failed blocker, with its attempts counted from 0.`,
      },
    ]);
    expect((await operator.explain({ id: mail.id })).remedies).toMatchObject([
      { action: "retry", ids },
      { action: "delete", ids: [mail.id] },
    ]);
    const [retry] = (await operator.explain({ id: ship.id })).remedies;
    expect(retry?.ids).toEqual([bundle.id, charge.id, ship.id]);
    const retried = await state.retryFailedJobs({ ids: retry?.ids ?? [] });
    expect(retried.map(({ kind }) => kind)).toEqual(["retried", "retried", "retried"]);
  });

  it("cancels a job that can never be retried, since a blocker was cancelled", async () => {
    const { operator, steps, state } = await anOperator();
    const charge = await steps.createOne({ typeName: "charge" });
    const bundle = await steps.createBlocked([charge], { typeName: "bundle" });
    const ship = await steps.createBlocked([bundle], { typeName: "ship" });
    const fails = { typeName: "mail", onBlockerFailure: "fail" } as const;
    const mail = await steps.createBlocked([bundle], fails);
    await steps.cancel([charge], { dependants: "fail" });
    expect(await state.retryFailedJobs({ ids: [bundle.id] })).toMatchObject([
      { kind: "refused", reason: "blocker_cancelled" },
    ]);
    for (const { id } of [bundle, mail, ship]) {
      const [first] = (await operator.explain({ id })).remedies;
      expect(first).toEqual({
        ...{ action: "cancel", ids: [id], command: `queuert cancel ${id}` },
        effect: `charge ${charge.id} was cancelled, so this job never runs. Cancels its sequence, too.`,
      });
      const { count } = await operator.plan({ action: "cancel", ids: [id] });
      expect(count).toBe(1);
    }
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

  it("knows a limit that is reached, and a limit of 0", async () => {
    const { operator, steps, state, live } = await anOperator();
    await live(["task"]);
    await steps.createRunning();
    const { id } = await steps.createOne();
    const limit = { name: "task", concurrency: 1, rate: null, declaration: null };
    await state.setLimits({ limits: [limit] });
    expect(await operator.explain({ id })).toMatchObject({
      verdict: "waits",
      headline: `task ${id}: The limit of task lets 1 run at once, and 1 do.`,
      reasons: [{ kind: "limit_reached", limit: "task", bound: "concurrency", running: 1 }],
    });
    await state.setLimits({ limits: [{ ...limit, concurrency: 0 }] });
    expect((await operator.explain({ id })).verdict).toBe("stuck");
    const rate = { count: 1, perMs: 60_000, burst: 1 };
    await state.setLimits({ limits: [{ ...limit, concurrency: null, rate }] });
    expect((await operator.explain({ id })).verdict).toBe("will_run");
    await steps.acquireOne();
    const later = await steps.createOne();
    expect(await operator.explain({ id: later.id })).toMatchObject({
      verdict: "waits",
      reasons: [{ kind: "limit_reached", bound: "rate" }],
    });
  });

  it("knows a key that is full, paused or without tokens", async () => {
    const { operator, steps, state, live, clock } = await anOperator();
    await live(["task"]);
    const { limitKeys } = state;
    if (limitKeys === undefined) throw new Error("The store has no keys");
    const limitKey = { limitName: "crm", key: "ada", cost: 2 };
    const setKey = (change: Parameters<typeof limitKeys.setLimitKeys>[0]["keys"][number]) =>
      limitKeys.setLimitKeys({ keys: [change] });
    const key = { limitName: "crm", key: "ada" };
    const bounds = { concurrency: 1, rate: null, weight: 1 };
    await setKey({ ...key, bounds: { ...bounds, concurrency: 2 } });
    const holder = await steps.createRunning({ limitKey });
    const first = await steps.createOne({ limitKey });
    const second = await steps.createOne({ limitKey });
    expect((await operator.explain({ id: first.id })).verdict).toBe("will_run");
    expect(await operator.explain({ id: second.id })).toMatchObject({
      verdict: "waits",
      headline: `task ${second.id}: Key "ada" of limit crm lets 2 run at once: 1 do, and 1 due job of the key first.`,
      reasons: [
        {
          ...{ kind: "key_limit_reached", limit: "crm", key: "ada", bound: "concurrency" },
          holders: [{ jobId: holder.id, status: "running" }],
        },
        { kind: "behind", ahead: 1, text: "Under its key, 1 due job come before it." },
      ],
    });
    expect((await operator.explain({ id: second.id })).runsAt.estimate).toBeNull();
    // Attempts of the type take 20 s. Two of the key run at once, and one has to end.
    const counts = { runMs: 80_000, run29: 4 };
    const entries = [{ typeName: "task", counts }];
    await state.operator?.recordMetrics?.({ entries, minutesKeptMs: 1e12, hoursKeptMs: 1e12 });
    clock.ms += 1_000;
    const full = await operator.explain({ id: second.id });
    expect(full.runsAt.estimate).toEqual(new Date(full.at.getTime() + 10_000));
    const rate = { count: 10, perMs: 60_000, burst: 2 };
    await setKey({ ...key, bounds: { ...bounds, concurrency: null, rate } });
    await steps.acquireOne();
    expect(await operator.explain({ id: second.id })).toMatchObject({
      verdict: "waits",
      reasons: [{ kind: "key_limit_reached", bound: "rate", tokensInMs: 12_000 }],
    });
    await setKey({ ...key, pause: { forMs: 60_000, note: "429", extends: false } });
    expect(await operator.explain({ id: second.id })).toMatchObject({
      verdict: "waits",
      headline: `task ${second.id}: Key "ada" of limit crm is paused for 1 min more: 429.`,
      reasons: [{ kind: "key_paused", limit: "crm", key: "ada", note: "429" }, {}],
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
    expect(explained.runsAt.estimate).toBeNull();
  });

  it("names the jobs that hold the places of full workers", async () => {
    const { operator, steps, live, clock } = await anOperator();
    const long = await steps.createRunning({ typeName: "report" });
    clock.ms += 5_000;
    const short = await steps.createRunning();
    await live(["task", "report"], { concurrency: 2, busy: 2 });
    const { id } = await steps.createOne();
    const { reasons, verdict } = await operator.explain({ id });
    expect(verdict).toBe("will_run");
    expect(reasons[0]).toMatchObject({
      kind: "workers_full",
      holders: [
        { jobId: long.id, typeName: "report", workerId: "worker-1", forMs: 5_000 },
        { jobId: short.id, workerId: "worker-1", forMs: 0 },
      ],
    });
    expect(reasons[0]?.text).toBe(
      `All 2 slots of 1 worker are busy. The longest runs report ${long.id}, for 5 s on worker worker-1.`,
    );
  });

  it("knows workers that run as many jobs of the type as they may", async () => {
    const { operator, steps, live } = await anOperator();
    const types = [
      { typeName: "task", concurrency: 1 },
      { typeName: "report", concurrency: null },
    ];
    await live([], { concurrency: 10, busy: 2, types });
    await steps.createRunning({ typeName: "report" });
    const { id } = await steps.createOne();
    expect((await operator.explain({ id })).reasons).toMatchObject([{ kind: "due_and_free" }]);
    await steps.acquireOne();
    const waiting = await steps.createOne({ priority: -1 });
    const explained = await operator.explain({ id: waiting.id });
    expect(explained).toMatchObject({
      verdict: "will_run",
      reasons: [{ kind: "workers_full", slots: 1, busy: 1, holders: [{ jobId: id }] }],
    });
    await live([], { concurrency: 10, busy: 2, types: [{ typeName: "task", concurrency: null }] });
    expect((await operator.explain({ id: waiting.id })).reasons).toMatchObject([
      { kind: "due_and_free" },
    ]);
  });

  it("knows how far a running job is, the limit of its time and its last lines", async () => {
    const { operator, steps, live, state, open } = await anOperator();
    await live([], { types: [{ typeName: "task", concurrency: null, timeoutMs: 60_000 }] });
    const { id, leaseVersion } = await steps.createRunning();
    const about = { jobId: id, leaseVersion };
    const line = (message: string) => ({ at: 0, level: "info", message });
    await state.operator?.appendLogs?.({
      chunks: [
        { ...about, attempt: 1, firstLine: 0, lines: JSON.stringify([line("a"), line("key 7")]) },
      ],
      progress: [{ ...about, fraction: 0.25, note: "page 7" }],
      ...{ gaps: [], forget: [], keptMs: 1e9 },
    });
    const [running] = (await operator.explain({ id, logTail: 1 })).reasons;
    expect(running).toMatchObject({
      ...{ kind: "running", timeoutMs: 60_000, logTail: ["key 7"] },
      progress: { fraction: 0.25, note: "page 7" },
      text: "It has been running for 0 ms, of at most 1 min, on worker worker-1. It says: 25 %, page 7.",
    });
    const hiding = open({ redactText: (text) => text.replaceAll("7", "#") });
    const [hidden] = (await hiding.explain({ id, logTail: 2 })).reasons;
    expect(hidden).toMatchObject({ logTail: ["a", "key #"], progress: { note: "page #" } });
    expect((await operator.explain({ id })).reasons).toMatchObject([{ logTail: [] }]);
    await expect(operator.explain({ id, logTail: -1 })).rejects.toThrow("logTail");
  });

  it("estimates when a job runs, by the rate of the last 10 minutes", async () => {
    const { operator, steps, live, state, clock } = await anOperator();
    await live(["task"], { concurrency: 4, busy: 4, beatMs: 1e9 });
    clock.ms += 1_000;
    for (let count = 0; count < 6; count++) await steps.createOne();
    const { id } = await steps.createOne();
    const entries = [{ typeName: "task", counts: { completed: 18, failed: 2 } }];
    await state.operator?.recordMetrics?.({ entries, minutesKeptMs: 1e12, hoursKeptMs: 1e12 });
    const { at, runsAt, reasons } = await operator.explain({ id });
    const behind = reasons.find(({ kind }) => kind === "behind");
    expect(behind).toMatchObject({ ahead: 6 });
    // Two jobs end in a minute.
    expect(runsAt).toEqual({ earliest: at, estimate: new Date(at.getTime() + 180_000) });
    const later = await steps.createOne({ schedule: { afterMs: 60_000 } });
    expect((await operator.explain(later)).runsAt.estimate).toEqual(later.scheduledAt);
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
