// A connection keeps the plans of the routines. Plans that were made while the store was small must not read it whole later.
import pg from "pg";
import { type AnyStateAdapter, jobStatuses } from "queuert/internal";
import { afterEach, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider, type PgContext } from "../src/providers/pg.ts";
import { anEntryJob } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const laterCount = 5_000;
const [, databases] = servers[0] ?? [];
let pool: pg.Pool;
afterEach(() => pool.end());

const fillSql = (count: number): string => `
  INSERT INTO queuert.job (id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
    position, status, sequence_outcome, input, priority, on_blocker_failure, created_at, scheduled_at, finished_at)
  SELECT g.id, 'old', g.id, 'old', now(), g.id, 0, 'completed', 'completed', '1', 0, 'wait', now(), now(), now()
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${count})) g`;

/** How many rows the session has read by indexes, since it last reported that to the server. */
const jobsRead = async (client: pg.ClientBase): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(
    "SELECT sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) AS count FROM pg_index i " +
      "WHERE i.indrelid IN ('queuert.job'::regclass, 'queuert.ready'::regclass)",
  );
  return Number(rows[0]?.count);
};

/** An adapter on one connection, and how many jobs each routine has read by an index. */
const openStore = async () => {
  const database = await databases?.().createDatabase();
  pool = new pg.Pool({ connectionString: database?.url, max: 1 });
  const provider = createPgPoolStateProvider(pool, { preparedStatements: true });
  const read = new Map<string, number>();
  let counts = false;
  const adapter = await createPgStateAdapter({
    stateProvider: {
      ...provider,
      executeSql: async (statement, context?: PgContext) => {
        if (!counts) return provider.executeSql(statement, context);
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          const before = await jobsRead(client);
          const rows = await provider.executeSql(statement, { client });
          const name = statement.name ?? "";
          const most = Math.max(read.get(name) ?? 0, (await jobsRead(client)) - before);
          read.set(name, most);
          await client.query("COMMIT");
          return rows;
        } finally {
          client.release();
        }
      },
    },
  });
  await adapter.migrateToLatest();
  return { state: adapter as AnyStateAdapter, read, count: () => (counts = true) };
};

const types = [{ typeName: "every", leaseMs: 60_000, limit: 10 }];
const output = { kind: "output", output: "null" } as const;

/** The walk of jobs through a worker. */
const walk = async (state: AnyStateAdapter): Promise<void> => {
  await state.createJobs({ jobs: Array.from({ length: 6 }, () => anEntryJob()) });
  const { jobs } = await state.acquireJobs({ workerId: "w", limit: 10, types });
  const leases = jobs.map(({ job }) => ({ jobId: job.id, leaseVersion: job.leaseVersion }));
  expect(leases).toHaveLength(6);
  await state.renewLeases({ leases: leases.map((lease) => ({ ...lease, leaseMs: 90_000 })) });
  const [one, again, failing, ...others] = leases;
  if (one === undefined || again === undefined || failing === undefined) throw new Error("none");
  await state.completeJobs({ workerId: "w", completions: [{ ...one, outcome: output }] });
  const completions = others.map((lease) => ({ ...lease, outcome: output }));
  await state.completeJobs({ workerId: "w", completions });
  const later = { schedule: { afterMs: 3_600_000 }, countsAttempt: true, error: "again" };
  await state.rescheduleJobs({ jobs: [{ ...again, ...later }] });
  await state.failJobs({ jobs: [{ ...failing, error: "failed" }] });
  await state.reclaimExpiredLeases({ limit: 10 });
  await state.summarize({ runningLongMs: 1_000 });
};

const page = {
  order: "desc",
  limit: 5,
  examineMax: 100,
  afterOrdinal: null,
  ordinalMax: null,
} as const;

/** The reads of an operator, and the deletions of retention. */
const operate = async (state: AnyStateAdapter): Promise<void> => {
  const { operator } = state;
  for (const status of jobStatuses) {
    const conditions = [{ field: "status", anyOf: [status], negated: false }] as const;
    await operator?.examineJobs?.({ ...page, conditions });
    await operator?.countJobs?.({ conditions, max: 10, examineMax: 100 });
  }
  const ids = (await state.listJobs(aPending)).map(({ id }) => id);
  expect(ids).toHaveLength(1);
  await operator?.countAhead?.({ ids, max: 10 });
  await operator?.findLocks?.({ ids });
  await operator?.listAttempts?.({ jobIds: ids });
  await operator?.listDependants?.({ sequenceId: ids[0] ?? "", afterId: null, limit: 10 });
  const ages = { completedForMs: 0, failedForMs: null, cancelledForMs: null };
  expect(await state.deleteFinishedSequences({ ...ages, limit: 2 })).toBe(2);
};

const aPending = {
  typeNames: null,
  statuses: ["pending"],
  sequenceId: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
  order: "desc",
  limit: 1,
  afterOrdinal: null,
} as const;

it.each([
  ["empty", 0, false],
  ["empty and analyzed", 0, true],
  ["of 50 jobs and analyzed", 50, true],
] as const)("reads few jobs by plans of a store that was %s", async (_, count, isAnalyzed) => {
  const store = await openStore();
  await pool.query(fillSql(count));
  if (isAnalyzed) await pool.query("ANALYZE");
  for (let round = 0; round < 3; round += 1) {
    await walk(store.state);
    await operate(store.state);
  }
  await pool.query(fillSql(laterCount));
  store.count();
  await walk(store.state);
  await operate(store.state);
  expect(store.read.size).toBeGreaterThan(15);
  expect([...store.read].filter(([, jobs]) => jobs >= laterCount)).toEqual([]);
});
