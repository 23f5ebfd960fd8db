// An acquisition reads most of a job only when there is something to read. Whatever that is, what it answers is what is stored.
import { expect, it } from "vitest";
import { aNewJob, openStore } from "./open-store.ts";

const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];

it("acquires what is stored, of any kind of pending job", async () => {
  const { adapter } = await openStore();
  const [root, key, traced] = await adapter.createJobs({
    jobs: [
      aNewJob({ input: '{"text":"ä\\u0000\\""}' }),
      aNewJob({ deduplication: { key: `a "key" \\ 🐝`, strategy: "completed", windowMs: null } }),
      aNewJob({ traceContext: '{"traceparent":"00-ab"}', onBlockerFailure: "fail", priority: 5 }),
      aNewJob({ rootSequenceId: "the root", originId: "the origin" }),
      aNewJob({ schedule: { at: new Date(1_000) } }),
    ],
  });
  const before = await acquireAll();
  expect(before.map(({ id }) => id)).toContain(root?.job.id);
  expect(before.find(({ id }) => id === key?.job.id)?.deduplicationKey).toBe(`a "key" \\ 🐝`);
  expect(before[0]).toMatchObject({ id: traced?.job.id, onBlockerFailure: "fail", priority: 5 });
  expect(before.filter(({ rootSequenceId }) => rootSequenceId === "the root")).toHaveLength(1);

  // Once more, each after an attempt: some with an error, one without it having counted.
  await adapter.rescheduleJobs({
    jobs: before.map(({ id, leaseVersion }, index) => ({
      jobId: id,
      leaseVersion,
      schedule: null,
      error: index === 0 ? null : `Error: "${index}"\n  at 🐝`,
      countsAttempt: index !== 0,
    })),
  });
  const again = await acquireAll();
  expect(again.map(({ leaseVersion }) => leaseVersion)).toEqual([2, 2, 2, 2, 2]);
  expect(again.filter(({ lastAttemptError }) => lastAttemptError === null)).toHaveLength(1);

  async function acquireAll() {
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
    const acquired = jobs.map(({ job }) => job);
    expect(acquired).toHaveLength(5);
    expect(acquired).toEqual(await adapter.getJobs({ ids: acquired.map(({ id }) => id) }));
    return acquired;
  }
});

it("acquires a continuation as it is stored", async () => {
  const { adapter } = await openStore();
  await adapter.createJobs({ jobs: [aNewJob()] });
  const [first] = (await adapter.acquireJobs({ workerId: "w", limit: 1, types })).jobs;
  if (first === undefined) throw new Error("nothing was acquired");
  const { job } = first;
  const { kind: _kind, deduplication: _deduplication, ...fields } = aNewJob();
  const { sequenceId, sequenceTypeName, sequenceCreatedAt, rootSequenceId } = job;
  const place = { sequenceId, sequenceTypeName, sequenceCreatedAt, rootSequenceId, position: 1 };
  const continuation = {
    ...fields,
    ...place,
    kind: "continuation",
    originId: job.id,
  } as const;
  await adapter.completeJobs({
    workerId: "w",
    completions: [
      {
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        outcome: { kind: "continuation", job: continuation },
      },
    ],
  });
  const [second] = (await adapter.acquireJobs({ workerId: "w", limit: 1, types })).jobs;
  expect(second?.job).toMatchObject({ sequenceId: job.id, originId: job.id, position: 1 });
  expect([second?.job]).toEqual(await adapter.getJobs({ ids: [second?.job.id ?? ""] }));
});
