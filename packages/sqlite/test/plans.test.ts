// The plans of SQLite for the statements that run for every job. Each statement searches an index. None sorts, and none
// reads finished, scheduled or blocked jobs.
import { describe, expect, it } from "vitest";
import { createSqliteStateAdapter, type SqliteConnection } from "../src/index.ts";
import { aNewJob, openProvider, openStore, temporaryFile } from "./open-store.ts";

/** Remembers every statement that is prepared, once. */
const recordStatements = (
  connection: SqliteConnection,
  recorded: Set<string>,
): SqliteConnection => ({
  prepare: (sql) => {
    recorded.add(sql);
    return connection.prepare(sql);
  },
  exec: (sql) => connection.exec(sql),
  get inTransaction() {
    return connection.inTransaction;
  },
});

const openRecorded = async () => {
  const recorded = new Set<string>();
  const wrapped = new Map<SqliteConnection, SqliteConnection>();
  const wrap = (connection: SqliteConnection): SqliteConnection => {
    const known = wrapped.get(connection) ?? recordStatements(connection, recorded);
    wrapped.set(connection, known);
    return known;
  };
  const provider = await openProvider(temporaryFile());
  const stateProvider: typeof provider = {
    ...provider,
    connectionOf: (context) => wrap(provider.connectionOf(context)),
    write: (step) => provider.write((connection) => step(wrap(connection))),
    read: (step) => provider.read((connection) => step(wrap(connection))),
  };
  const adapter = await createSqliteStateAdapter({ stateProvider });
  recorded.clear();
  const plansOf = (): Promise<readonly string[]> =>
    provider.read((connection) =>
      [...recorded]
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
    // The one row that says whether there are any blockers at all is the first of an index.
    const scans = plans.filter(
      (step) =>
        step.startsWith("SCAN") &&
        !/CONSTANT ROW|queuert_job_blocker|queuert_ordinal|deduplication_open/.test(step),
    );
    expect(scans).toEqual([]);
    expect(plans.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY (")).length).toBe(0);
    expect(plans.join("\n")).toMatch(/USING INDEX queuert_job_due/);
    expect(plans.join("\n")).toMatch(/USING (COVERING )?INDEX queuert_job_leased/);
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
