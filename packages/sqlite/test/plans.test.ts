// The plans of SQLite for the statements that run for every job. Each statement searches an index. None sorts, and none
// reads finished, scheduled or blocked jobs.
import { describe, expect, it } from "vitest";
import { aNewJob, openStore, openWatched } from "./open-store.ts";

const openRecorded = async () => {
  // Every statement that is prepared, and how often.
  const recorded = new Map<string, number>();
  const { provider, adapter } = await openWatched(
    (sql) => void recorded.set(sql, (recorded.get(sql) ?? 0) + 1),
  );
  recorded.clear();
  const plansOf = (): Promise<readonly string[]> =>
    provider.read((connection) =>
      [...recorded.keys()]
        .filter((sql) => /^\s*(WITH|SELECT|UPDATE|INSERT|DELETE)/.test(sql))
        .flatMap((sql) =>
          connection.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`).all(),
        )
        .map((row) => String(row[3])),
    );
  return { adapter, recorded, plansOf };
};

type Recorded = Awaited<ReturnType<typeof openRecorded>>;

const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];

/** Everything a job goes through, with blockers, keys, retries and lost leases. */
const walk = async ({ adapter }: Recorded): Promise<void> => {
  const deduplication = { key: "k", strategy: "completed", windowMs: 1 } as const;
  const [created] = await adapter.createJobs({ jobs: [aNewJob({ deduplication }), aNewJob()] });
  await adapter.createJobs({
    jobs: [aNewJob({ deduplication: { ...deduplication, strategy: "all" } })],
  });
  const id = created?.job.id ?? "";
  await adapter.runInTransaction(async (context) => {
    const jobs = [aNewJob({ typeName: "waiting", awaitsBlockers: true })];
    const [waiting] = await adapter.createJobs({ context, jobs });
    const edges = [{ jobId: waiting?.job.id ?? "", blockerSequenceIds: [id] }];
    await adapter.addBlockers({ context, jobs: edges });
  });
  const acquired = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
  await adapter.acquireJobs({ workerId: "w", limit: 10, types });
  const leases = acquired.jobs.map(({ job }) => ({
    jobId: job.id,
    leaseVersion: job.leaseVersion,
  }));
  await adapter.renewLeases({ leases: leases.map((lease) => ({ ...lease, leaseMs: 60_000 })) });
  const [first, ...others] = leases;
  if (first === undefined) throw new Error("nothing was acquired");
  await adapter.completeJobs({
    workerId: "w",
    completions: [{ ...first, outcome: { kind: "output", output: "1" } }],
  });
  await adapter.completeJobs({
    workerId: "w",
    completions: [{ ...first, outcome: { kind: "output", output: "1" } }],
  });
  await adapter.rescheduleJobs({
    jobs: others.map((lease) => ({ ...lease, schedule: null, countsAttempt: true, error: null })),
  });
  await adapter.getSequences({ ids: [id] });
  await adapter.getJobs({ ids: [id] });
  await adapter.getBlockers({ ids: [id] });
  await adapter.triggerJobs({ ids: [id] });
};

describe("the statements of a job's walk", () => {
  it("search an index each, and sort nothing", async () => {
    const store = await openRecorded();
    await walk(store);
    expect(store.recorded.size).toBeGreaterThan(15);
    const plans = await store.plansOf();
    // The one row that says whether there are any blockers at all, or any deadlines, is the first of an index.
    const scans = plans.filter(
      (step) =>
        step.startsWith("SCAN") &&
        !/CONSTANT ROW|queuert_job_blocker|queuert_ordinal|deduplication_open|job_deadline/.test(
          step,
        ),
    );
    expect(scans).toEqual([]);
    expect(plans.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY (")).length).toBe(0);
    expect(plans.join("\n")).toMatch(/USING INDEX queuert_job_due/);
    expect(plans.join("\n")).toMatch(/USING (COVERING )?INDEX queuert_job_leased/);
  });

  it("are compiled once: none has a bare parameter behind LIMIT", async () => {
    const store = await openRecorded();
    await walk(store);
    const limits = [...store.recorded.keys()].filter((sql) => /LIMIT\s+\S*\?/.test(sql));
    expect(limits.length).toBeGreaterThan(1);
    // SQLite plans by the value of such a parameter, so it compiles the statement anew for each execution.
    expect(limits.filter((sql) => /LIMIT\s+\?/.test(sql))).toEqual([]);
  });

  it("read the index alone for a summary of pending jobs, moments of release included", async () => {
    const store = await openRecorded();
    await store.adapter.summarize({ runningLongMs: 1 });
    expect(await store.plansOf()).toContain(
      "SCAN queuert_job USING COVERING INDEX queuert_job_due",
    );
  });
});

describe("100,000 schedules", () => {
  it("cost an idle worker one probe of an index, and a due one a search", async () => {
    const store = await openRecorded();
    const { adapter, recorded } = store;
    const lookAt = new Date(Date.now() + 3_600_000);
    await adapter.runInTransaction(async (context) => {
      for (let from = 0; from < 100_000; from += 10_000) {
        const schedules = Array.from({ length: 10_000 }, (_, index) => ({
          schedule: { name: `s${from + index}`, lookAt, isDeclared: false, definition: "{}" },
          isNew: true,
        }));
        await adapter.writeSchedules({ context, schedules });
      }
    });
    recorded.clear();
    expect(await adapter.nextScheduleInMs()).toBeGreaterThan(3_000_000);
    await adapter.runInTransaction(async (context) => {
      expect((await adapter.takeDueSchedules({ context, limit: 100 })).schedules).toEqual([]);
    });
    const plans = (await store.plansOf()).join("\n");
    expect(plans).toMatch(/SEARCH queuert_schedule USING COVERING INDEX queuert_schedule_look/);
    expect(plans).toMatch(/SEARCH queuert_schedule USING INDEX queuert_schedule_look/);
    expect(plans).not.toMatch(/TEMP B-TREE/);
  });
});

describe("jobs under keys", () => {
  const keyed = (key: string) => aNewJob({ limitKey: { limitName: "task", key, cost: 1 } });
  const manyTypes = [{ typeName: "task", leaseMs: 60_000, limit: 100 }];

  const openKeyed = async () => {
    const store = await openRecorded();
    const limit = { name: "task", concurrency: null, rate: null, declaration: null };
    const perKey = { concurrency: 1, rate: null };
    await store.adapter.setLimits({ limits: [{ ...limit, perKey }] });
    /** Statements of an acquisition for each job that it takes. */
    const acquire = async (): Promise<number> => {
      store.recorded.clear();
      const given = { workerId: "w", limit: 100, types: manyTypes };
      const { jobs } = await store.adapter.acquireJobs(given);
      expect(jobs).toHaveLength(100);
      return [...store.recorded.values()].reduce((sum, count) => sum + count, 0) / jobs.length;
    };
    return { ...store, acquire };
  };
  const keys = Array.from({ length: 400 }, (_, index) => `key ${index}`);

  it("cost an acquisition few statements each", async () => {
    const { adapter, acquire } = await openKeyed();
    await adapter.createJobs({ jobs: [...keys, ...keys].map(keyed) });
    for (let call = 0; call < 3; call++) expect(await acquire()).toBeLessThan(5);
  });

  it("cost no more beside a key with 50,000 of them in front", { timeout: 60_000 }, async () => {
    const alone = await openKeyed();
    await alone.adapter.createJobs({ jobs: [...keys, ...keys].map(keyed) });
    const noisy = await openKeyed();
    for (let chunk = 0; chunk < 10; chunk++) {
      const jobs = Array.from({ length: 5_000 }, () => keyed("noisy"));
      await noisy.adapter.createJobs({ jobs });
    }
    await noisy.adapter.createJobs({ jobs: [...keys, ...keys].map(keyed) });
    for (let call = 0; call < 3; call++) {
      expect((await noisy.acquire()) / (await alone.acquire())).toBeLessThan(1.2);
    }
  });
});

describe("the cost of acquiring", () => {
  it("does not grow with finished, scheduled and blocked jobs", async () => {
    const { adapter, provider } = await openStore();
    const acquireMs = async (): Promise<number> => {
      await adapter.createJobs({ jobs: Array.from({ length: 200 }, () => aNewJob()) });
      const startedAt = performance.now();
      for (let call = 0; call < 20; call++) {
        await adapter.acquireJobs({ workerId: "w", limit: 10, types });
      }
      return performance.now() - startedAt;
    };
    const best = async (): Promise<number> =>
      Math.min(await acquireMs(), await acquireMs(), await acquireMs());
    const empty = await best();
    await provider.write((connection) => {
      connection.exec(`
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60000)
INSERT INTO queuert_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
  position, status, priority, scheduled_at, created_at, on_blocker_failure, input)
SELECT 'filler-' || n, 'task', 'filler-' || n, 'task', 0, 'filler-' || n, 0,
  CASE n % 3 WHEN 0 THEN 'completed' WHEN 1 THEN 'pending' ELSE 'blocked' END, n % 2,
  CASE n % 3 WHEN 1 THEN 32503680000000 ELSE 0 END, 0, 'wait', '{}' FROM number`);
    });
    // Going through 20,000 rows takes more than 2 ms a call; a factor of ten leaves room for a noisy machine.
    expect(await best()).toBeLessThan(empty * 10 + 5);
  });
});
