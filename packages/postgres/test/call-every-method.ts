// Every method of the contract once, each with jobs that it changes or returns.
import { expect } from "vitest";
import type { AnyStateAdapter, NewEntryJob } from "queuert/internal";

export const anEntryJob = (overrides: Partial<NewEntryJob> = {}): NewEntryJob => ({
  kind: "entry",
  typeName: "every",
  input: '{"a":1}',
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
  ...overrides,
});

const types = [{ typeName: "every", leaseMs: 60_000, limit: 10 }];

export const callEveryMethod = async (state: AnyStateAdapter): Promise<void> => {
  expect(await state.getStoreId()).toMatch(/^[a-z0-9]{16}$/);
  const before = Date.now() - 60_000;
  const [entry] = await state.createJobs({ jobs: [anEntryJob()] });
  const [blocker] = await state.createJobs({
    jobs: [
      anEntryJob({
        typeName: "blocker",
        deduplication: { key: crypto.randomUUID(), strategy: "all", windowMs: 1_000 },
      }),
    ],
  });
  if (entry === undefined || blocker === undefined) throw new Error("nothing created");
  expect(entry.job.createdAt.getTime()).toBeGreaterThan(before);
  const id = entry.job.id;
  await state.runInTransaction(async (context) => {
    const [waiting] = await state.createJobs({
      context,
      jobs: [anEntryJob({ awaitsBlockers: true })],
    });
    const jobId = waiting?.job.id ?? "";
    await state.addBlockers({
      context,
      jobs: [{ jobId, blockerSequenceIds: [blocker.job.id], waitAtMostMs: 3_600_000 }],
    });
    await state.lockSequences({ context, ids: [id] });
  });
  const { jobs } = await state.acquireJobs({ workerId: "w", limit: 10, types });
  const taken = jobs.find(({ job }) => job.id === id)?.job;
  if (taken === undefined) throw new Error("not acquired");
  // A time that was read in another zone is off by a quarter of an hour, or more.
  const offMs = (taken.leasedUntil?.getTime() ?? 0) - Date.now() - 60_000;
  expect(Math.abs(offMs)).toBeLessThan(600_000);
  const lease = { jobId: id, leaseVersion: taken.leaseVersion };
  expect(await state.renewLeases({ leases: [{ ...lease, leaseMs: 90_000 }] })).toEqual([
    { kind: "held" },
  ]);
  await finish(state, lease, blocker.job.id);
  await look(state, id);
};

type Lease = { readonly jobId: string; readonly leaseVersion: number };

const finish = async (state: AnyStateAdapter, lease: Lease, blockerId: string): Promise<void> => {
  const schedule = { afterMs: 0 };
  const given = { ...lease, schedule, countsAttempt: false, error: "again" };
  await state.rescheduleJobs({ jobs: [given] });
  const none = { input: null, schedule: null, dueWithinMs: null };
  await state.updateJobs({ jobs: [{ id: lease.jobId, priority: 0, ...none }] });
  await state.triggerJobs({ ids: [lease.jobId] });
  await state.acquireJobs({ workerId: "w", limit: 10, types });
  const again = { ...lease, leaseVersion: lease.leaseVersion + 1 };
  await state.failJobs({ jobs: [{ ...again, error: "failed" }] });
  const [retried] = await state.retryFailedJobs({ ids: [lease.jobId] });
  expect(retried?.kind).toBe("retried");
  await state.reclaimExpiredLeases({ limit: 10 });
  const { results, unblocked } = await state.completeJobs({
    workerId: null,
    completions: [blockerId, lease.jobId].map((jobId) => ({
      jobId,
      leaseVersion: null,
      outcome: { kind: "output" as const, output: "null" },
    })),
  });
  expect(results.map(({ kind }) => kind)).toEqual(["completed", "completed"]);
  expect(unblocked).toHaveLength(1);
};

const look = async (state: AnyStateAdapter, id: string): Promise<void> => {
  const ids = [id];
  expect((await state.getJobs({ ids }))[0]?.status).toBe("completed");
  await state.getSequences({ ids });
  await state.getBlockers({ ids });
  await state.listBlockerEdges({ ids });
  const page = { order: "desc" as const, limit: 2, afterOrdinal: 1_000_000 };
  const filter = {
    typeNames: ["every"],
    statuses: ["completed" as const],
    rootSequenceId: id,
    createdFrom: new Date(0),
    createdTo: new Date(Date.UTC(9999, 0)),
  };
  expect(await state.listJobs({ ...page, ...filter, sequenceId: id })).toHaveLength(1);
  expect(await state.listSequences({ ...page, ...filter })).toHaveLength(1);
  await state.summarize({ runningLongMs: 1_000 });
  await operate(state);
  await state.runInTransaction((context) =>
    state.deleteSequences({ context, rootSequenceIds: ids }),
  );
  const limit = { name: "limited", concurrency: 1, rate: null, declaration: null };
  expect(await state.setLimits({ limits: [limit] })).toEqual([true]);
  expect(await state.getLimits({ names: null })).toMatchObject([limit]);
  expect(await state.deleteLimits({ names: ["limited", "none"] })).toEqual([true, false]);
  await state.pause({ targets: [{ typeName: "paused" }], forMs: null, note: null });
  expect(await state.getPauses()).toHaveLength(1);
  expect(await state.resume({ targets: [{ typeName: "paused" }] })).toEqual([true]);
  const [cancelled] = await state.createJobs({ jobs: [anEntryJob()] });
  const sequences = [{ id: cancelled?.job.id ?? "", lease: null }];
  const policy = { tree: true, dependants: "refuse", reason: null } as const;
  const result = await state.cancelSequences({ sequences, ...policy });
  expect(result).toMatchObject({ kind: "cancelled", jobs: [{ id: cancelled?.job.id }] });
  await state.deleteFinishedSequences({
    completedForMs: 0,
    failedForMs: null,
    cancelledForMs: 0,
    limit: 10,
  });
};

/** The methods for operators, each condition of a search among them. */
const operate = async (state: AnyStateAdapter): Promise<void> => {
  const operator = state.operator as Required<NonNullable<AnyStateAdapter["operator"]>>;
  const page = { order: "desc", limit: 9, afterOrdinal: 1_000_000, ordinalMax: 999_999 } as const;
  const now = await operator.readClock();
  const { jobs } = await operator.examineJobs({
    ...{ ...page, examineMax: 100 },
    conditions: [
      { field: "idPrefix", anyOf: ["x"], negated: true },
      { field: "id", anyOf: ["x"], negated: true },
      { field: "text", of: "typeName", anyOf: ["every"], negated: false },
      { field: "status", anyOf: ["completed"], negated: false },
      { field: "is", anyOf: ["due", "scheduled", "retrying", "stalled"], negated: true },
      { field: "number", of: "attempt", min: 0, max: 9, negated: false },
      { field: "time", of: "finishedAt", from: new Date(0), to: null, negated: false },
      { field: "contains", of: ["input", "output"], anyOf: ["1"], negated: false },
    ],
  });
  expect(jobs.length).toBeGreaterThan(0);
  const pending = await state.createJobs({ jobs: [anEntryJob({ typeName: "pending" })] });
  const ids = pending.map(({ job }) => job.id);
  expect(await operator.countAhead({ ids, max: 10 })).toMatchObject([{ isAtLeast: false }]);
  expect(await operator.findKeys({ ids })).toEqual([undefined]);
  expect(await operator.listAttempts({ jobIds: ids })).toEqual([[]]);
  const [logged = ""] = ids;
  const about = { jobId: logged, leaseVersion: 1 };
  const chunks = [{ ...about, attempt: 1, firstLine: 0, lines: "[]" }];
  const progress = [{ ...about, fraction: 0.5, note: "half" }];
  await operator.appendLogs({ chunks, gaps: [], progress, forget: [], keptMs: 1e9 });
  expect(await operator.listLogs({ jobId: logged, after: null })).toMatchObject([{ lines: "[]" }]);
  expect(await operator.listProgress({ jobIds: ids })).toMatchObject([{ fraction: 0.5 }]);
  const process = { host: "h", pid: 1, machine: null, processStart: null };
  const worker = { instanceId: "every", workerId: "w", state: "stopped", types: [] } as const;
  const workers = [{ ...worker, concurrency: 1, busy: 0, beatMs: 1, libraryVersion: null }];
  await operator.beat({ process, workers, forgetAfterMs: 1e9 });
  expect((await operator.listWorkers()).length).toBeGreaterThan(0);
  const entries = [{ typeName: "every", counts: { completed: 1, run3: 1 } }];
  await operator.recordMetrics({ entries, minutesKeptMs: 1e9, hoursKeptMs: 1e9 });
  const period = { from: new Date(0), to: new Date(Date.UTC(9999, 0)) };
  expect(
    (await operator.listMetrics({ stepMs: 60_000, ...period, typeNames: ["every"] })).length,
  ).toBeGreaterThan(0);
  const next = await operator.listNext({ typeName: "every", limit: 1, examineMax: 1 });
  expect(next.ids.length).toBeLessThanOrEqual(1);
  const listed = await operator.listLimitKeys({ limitName: "every", fromKey: null, limit: 1 });
  expect(listed.length).toBeLessThanOrEqual(1);
  expect(await operator.expireLeases({ workerId: "absent", acquiredBefore: now })).toBe(0);
  const id = crypto.randomUUID();
  expect(
    await operator.beginAction({ id, action: "retry", user: null, filter: null, count: 1 }),
  ).toBe(true);
  await operator.finishAction({ id, done: 1, refused: 0 });
  expect((await operator.listActions({ limit: 10 })).length).toBeGreaterThan(0);
};
