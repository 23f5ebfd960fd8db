// The hot statements in a store that has been in use for long: the pages they read are bounded by the jobs they return.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { anEntryJob } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const finishedCount = 1_000_000;
const scheduledCount = 200_000;
const readyCount = 100_000;
const typeCount = 20;

const [, databases] = servers[0] ?? [];
let pool: pg.Pool;
let state: AnyStateAdapter;
const sent: PgStatement[] = [];

const types = Array.from({ length: typeCount }, (_, index) => ({
  typeName: `type ${index}`,
  leaseMs: 60_000,
  limit: 100,
}));

// Type, priority and time are mixed, so that nothing is found by being first in the table.
const fillSql = (count: number, status: string, scheduledAt: string): string => `
  INSERT INTO queuert.job (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, position, status, sequence_outcome, input, priority, on_blocker_failure,
    created_at, scheduled_at, finished_at)
  SELECT g.id, 'type ' || n % ${typeCount}, g.id, 'type ' || n % ${typeCount}, now(), g.id, 0,
    '${status}', nullif('${status}', 'open'), '{"n":1}', n % 3, 'wait', now(), ${scheduledAt},
    CASE WHEN '${status}' = 'completed' THEN now() END
  FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, ${count}) n) g`;

beforeAll(async () => {
  const database = await databases?.().createDatabase();
  pool = new pg.Pool({ connectionString: database?.url, max: 2 });
  const provider = createPgPoolStateProvider(pool);
  state = await createPgStateAdapter({
    stateProvider: {
      ...provider,
      executeSql: (statement, context) => {
        sent.push(statement);
        return provider.executeSql(statement, context);
      },
    },
  }).then(async (adapter) => {
    await adapter.migrateToLatest();
    return adapter;
  });
  await pool.query(fillSql(finishedCount, "completed", "now()"));
  await pool.query(fillSql(scheduledCount, "open", "now() + interval '1 day'"));
  await pool.query(fillSql(readyCount, "open", "now() - (n % 1000) * interval '1 second'"));
  await pool.query(`
    INSERT INTO queuert.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
    SELECT j.id, j.type_name, j.priority, j.scheduled_at, j.ordinal, j.scheduled_at <= now()
    FROM queuert.job j WHERE j.status = 'open' ORDER BY j.ordinal`);
  await pool.query("ANALYZE queuert.job; ANALYZE queuert.ready");
  // The first acquisition of an adapter looks for jobs of an earlier clock.
  await state.acquireJobs({ workerId: "w", limit: 1, types });
}, 180_000);
afterAll(() => pool.end());

interface Cost {
  readonly buffers: number;
  readonly seqScans: number;
}

interface Plan {
  readonly Plan: Readonly<Record<string, number>>;
}

/** Runs the statement that the call sends once more, and counts the pages it touches and the tables it reads whole. */
const costOf = async (call: () => Promise<unknown>): Promise<Cost> => {
  sent.length = 0;
  await call();
  const [statement] = sent;
  if (statement === undefined) throw new Error("nothing was sent");
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const scans = async (): Promise<number> => {
      const { rows } = await client.query<{ count: string }>(
        "SELECT coalesce(sum(pg_stat_get_xact_numscans(oid)), 0) AS count FROM pg_class " +
          // The rows of all leases are few.
          "WHERE relnamespace = 'queuert'::regnamespace AND relkind = 'r' AND relname <> 'lease'",
      );
      return Number(rows[0]?.count);
    };
    const before = await scans();
    const { rows } = await client.query<{ "QUERY PLAN": readonly Plan[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.sql}`,
      values: statement.params as (string | null)[],
    });
    const seqScans = (await scans()) - before;
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? {};
    const buffers = (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    return { buffers, seqScans };
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
};

// An updated job costs its row, its new row, and a descent of three or four pages in each of four indexes at most.
const pagesPerJob = 40;

it("acquires from 20 types with an ordered probe each", async () => {
  const cost = await costOf(() => state.acquireJobs({ workerId: "w", limit: 100, types }));
  expect(cost.seqScans).toBe(0);
  expect(cost.buffers).toBeLessThan(100 * pagesPerJob);
});

it("finds the only job that is due among many that are not", async () => {
  const quiet = { typeName: "quiet", priority: 0 };
  const later = Array.from({ length: 20_000 }, () =>
    anEntryJob({ ...quiet, schedule: { afterMs: 3_600_000 } }),
  );
  await state.createJobs({ jobs: [...later, anEntryJob(quiet)] });
  const params = { workerId: "w", limit: 100, types: [{ ...quiet, leaseMs: 60_000, limit: 100 }] };
  const cost = await costOf(async () => {
    expect((await state.acquireJobs(params)).jobs).toHaveLength(1);
    await state.createJobs({ jobs: [anEntryJob(quiet)] });
  });
  expect(cost.seqScans).toBe(0);
  expect(cost.buffers).toBeLessThan(3 * pagesPerJob);
});

it("finds nothing to do at the cost of a probe for each type and priority", async () => {
  const none = types.map((type) => ({ ...type, typeName: `none of ${type.typeName}` }));
  const cost = await costOf(() => state.acquireJobs({ workerId: "w", limit: 100, types: none }));
  expect(cost.seqScans).toBe(0);
  expect(cost.buffers).toBeLessThan(typeCount * 3 * 10);
});

it("completes, renews, reschedules and reclaims by index", async () => {
  const { jobs } = await state.acquireJobs({ workerId: "w", limit: 100, types });
  const leases = jobs.map(({ job }) => ({ jobId: job.id, leaseVersion: job.leaseVersion }));
  const outcome = { kind: "output" as const, output: "null" };
  const later = { schedule: { afterMs: 10 }, countsAttempt: true, error: "again" };
  const calls = {
    renew: () => state.renewLeases({ leases: leases.map((l) => ({ ...l, leaseMs: 90_000 })) }),
    complete: () =>
      state.completeJobs({
        workerId: "w",
        completions: leases.slice(0, 50).map((lease) => ({ ...lease, outcome })),
      }),
    reschedule: () =>
      state.rescheduleJobs({ jobs: leases.slice(50).map((l) => ({ ...l, ...later })) }),
    reclaim: () => state.reclaimExpiredLeases({ limit: 1_000 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const cost = await costOf(call);
    expect([name, cost.seqScans]).toEqual([name, 0]);
    expect([name, cost.buffers < 100 * pagesPerJob]).toEqual([name, true]);
  }
});

it("creates and deduplicates by index", async () => {
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
  const cost = await costOf(() =>
    state.createJobs({
      jobs: keys.map((key) =>
        anEntryJob({ deduplication: { key, strategy: "all", windowMs: null } }),
      ),
    }),
  );
  expect(cost.seqScans).toBe(0);
  expect(cost.buffers).toBeLessThan(50 * pagesPerJob * 2);
});

it("lists a page without sorting the table", async () => {
  const page = { order: "desc" as const, limit: 50, afterOrdinal: null };
  const filter = { typeNames: null, statuses: null, rootSequenceId: null };
  const times = { createdFrom: null, createdTo: null };
  const jobs = await costOf(() =>
    state.listJobs({ ...page, ...filter, ...times, sequenceId: null }),
  );
  expect(jobs.buffers).toBeLessThan(500);
  const sequences = await costOf(() => state.listSequences({ ...page, ...filter, ...times }));
  expect(sequences.buffers).toBeLessThan(1_000);
});

it("lists jobs by their status without reading finished ones", async () => {
  await state.acquireJobs({ workerId: "w", limit: 1_000, types });
  const filter = { typeNames: null, rootSequenceId: null, sequenceId: null };
  const times = { createdFrom: null, createdTo: null };
  const page = { limit: 50, afterOrdinal: null, ...filter, ...times };
  for (const order of ["asc", "desc"] as const) {
    for (const status of ["pending", "running", "completed"] as const) {
      const cost = await costOf(async () => {
        const jobs = await state.listJobs({ ...page, order, statuses: [status] });
        expect(jobs.map((job) => job.status)).toEqual(Array.from({ length: 50 }, () => status));
      });
      // Two probes for each of 1,000 running jobs. Newest first, the walk to a completed job passes the open ones.
      const pagesMax = 12_000;
      expect([order, status, cost.buffers < pagesMax]).toEqual([order, status, true]);
    }
  }
  const jobs = await state.listJobs({ ...page, limit: 100, order: "desc", statuses: ["running"] });
  const ids = jobs.map(({ id }) => id);
  const cost = await costOf(() => state.getJobs({ ids }));
  expect(cost.seqScans).toBe(0);
  expect(cost.buffers).toBeLessThan(2_000);
});

it("triggers, deletes and completes without a worker by index", async () => {
  const filter = { typeNames: null, rootSequenceId: null, sequenceId: null };
  const times = { createdFrom: null, createdTo: null };
  const page = { order: "desc" as const, limit: 100, afterOrdinal: null, ...filter, ...times };
  const jobs = await state.listJobs({ ...page, statuses: ["pending"] });
  const ids = jobs.map(({ id }) => id);
  const outcome = { kind: "output" as const, output: "null" };
  const completions = ids.map((jobId) => ({ jobId, leaseVersion: null, outcome }));
  const calls = {
    trigger: () => state.triggerJobs({ ids }),
    delete: () =>
      state.runInTransaction(async (context) => {
        await state.deleteSequences({ context, rootSequenceIds: ids.slice(50) });
      }),
    complete: () => state.completeJobs({ workerId: null, completions }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const cost = await costOf(call);
    expect([name, cost.seqScans]).toEqual([name, 0]);
    expect([name, cost.buffers < 100 * pagesPerJob]).toEqual([name, true]);
  }
});

it("looks at 100,000 schedules with one probe, and takes the due ones by index", async () => {
  await pool.query(`
    INSERT INTO queuert.schedule (name, look_at, is_declared, definition)
    SELECT 's' || n, now() + interval '1 hour', false, '{}' FROM generate_series(1, 100000) n`);
  await pool.query("ANALYZE queuert.schedule");
  const probe = await costOf(() => state.nextScheduleInMs());
  expect(probe.seqScans).toBe(0);
  expect(probe.buffers).toBeLessThan(20);
  await pool.query("UPDATE queuert.schedule SET look_at = now() WHERE name IN ('s1', 's2', 's3')");
  const take = await costOf(() =>
    state.runInTransaction(async (context) => {
      const { schedules } = await state.takeDueSchedules({ context, limit: 100 });
      expect(schedules).toHaveLength(3);
    }),
  );
  expect(take.seqScans).toBe(0);
  expect(take.buffers).toBeLessThan(60);
});
