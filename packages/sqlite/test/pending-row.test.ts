// An acquisition reads most columns of a job only if the job is unusual. It returns the stored job in any case.
import { expect, it } from "vitest";
import { aNewJob, openStore } from "./open-store.ts";

const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];

it("acquires any kind of pending job as it is stored", async () => {
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

  // Once more, each after an attempt: four with an error, one whose attempt was not counted.
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

it("reads every column of a pending job that differs from that of a new root job", async () => {
  const { adapter, provider } = await openStore();
  const values: Readonly<Record<string, string | number>> = {
    sequence_id: "another job",
    sequence_type_name: "another type",
    sequence_created_at: 1_000,
    root_sequence_id: "another root",
    origin_id: "an origin",
    position: 1,
    deduplication_key: "a key",
    attempt: 3,
    lease_version: 4,
    last_attempt_at: 2_000,
    last_attempt_error: "an error",
    on_blocker_failure: "fail",
    trace_context: "a trace",
    blocked_until: 3_000,
  };
  // Columns that an acquisition selects by, sets itself, or returns in any case; and columns of jobs in other statuses.
  const others =
    `ordinal id type_name status priority scheduled_at created_at input leased_by leased_until
    output continued_to_id finished_at completed_by completed_lease blocker_count incomplete_blocker_count
    deduplication_open released_at limit_name limit_key limit_cost`.split(/\s+/);
  const columns = await provider.read((connection) =>
    connection
      .prepare("SELECT name FROM pragma_table_info('queuert_job')")
      .all()
      .map(([name]) => String(name)),
  );
  // A new column belongs to one of the two lists.
  expect(columns.toSorted()).toEqual([...Object.keys(values), ...others].toSorted());
  for (const [column, value] of Object.entries(values)) {
    const [created] = await adapter.createJobs({ jobs: [aNewJob()] });
    const id = created?.job.id ?? "";
    // Only a continuation has columns of its sequence.
    const set = column.startsWith("sequence_") ? `position = 1, ${column}` : column;
    await provider.write((connection) =>
      connection.prepare(`UPDATE queuert_job SET ${set} = ? WHERE id = ?`).run(value, id),
    );
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
    expect(
      jobs.map(({ job }) => job),
      column,
    ).toEqual(await adapter.getJobs({ ids: [id] }));
  }
});
