// The registry of workers and the counts of attempts are written for each process, and never for a job.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { expect, it, onTestFinished } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";

const jobTypeDefinitions = defineUnionJobTypes<{ single: { input: number; output: null } }>();

/** A client, and the names of the statements that it sends. */
const openClient = async (workerRegistry: boolean) => {
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  onTestFinished(() => pool.end());
  const provider = createPgPoolStateProvider(pool);
  const sent: string[] = [];
  const stateAdapter = await createPgStateAdapter({
    stateProvider: {
      ...provider,
      executeSql: (statement, context) => {
        sent.push(statement.name ?? statement.sql);
        return provider.executeSql(statement, context);
      },
    },
  });
  await stateAdapter.migrateToLatest();
  const queuert = await createQueuert({
    stateAdapter,
    jobTypeDefinitions,
    workerRegistry,
    log: () => undefined,
  });
  return { pool, queuert, sent };
};

const writtenSql = `
  SELECT relname, n_tup_ins::int AS inserted, n_tup_upd::int AS updated, n_tup_del::int AS deleted
  FROM pg_stat_user_tables
  WHERE schemaname = 'queuert' AND relname IN ('job', 'ready', 'job_attempt', 'job_log', 'job_progress')
  ORDER BY relname`;

/** The statements of the registry, and the rows of jobs that were written, for jobs that succeed at once. */
const drain = async (count: number, workerRegistry: boolean) => {
  const { pool, queuert, sent } = await openClient(workerRegistry);
  await queuert.startJobSequences({
    sequences: Array.from(
      { length: count },
      (_, input) => ({ typeName: "single", input }) as const,
    ),
    autocommit: true,
  });
  const worker = await queuert
    .createWorker()
    .implementJobType({ typeName: "single", process: ({ complete }) => complete(null) })
    .start();
  const isDrained = async (): Promise<boolean> => {
    const sql = "SELECT FROM queuert.job WHERE status = 'completed'";
    return (await pool.query(sql)).rowCount === count;
  };
  await expect.poll(isDrained, { timeout: 60_000 }).toBe(true);
  await worker.stop();
  await queuert.close();
  const isReported = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ updated: number }>(writtenSql);
    return rows[0]?.updated === count;
  };
  // Each session of the server reports its own counts, a second late at most.
  await expect.poll(isReported, { timeout: 30_000 }).toBe(true);
  const { rows } = await pool.query<object>(writtenSql);
  return {
    ofRegistry: sent.filter((name) => /^queuert_(beat|record_metrics)(_|$)/.test(name)),
    rows,
  };
};

it("writes no more rows for a job with the registry of workers", async () => {
  const without = await drain(200, false);
  expect(without.ofRegistry).toEqual([]);
  const few = await drain(20, true);
  const many = await drain(200, true);
  expect(few.ofRegistry).not.toEqual([]);
  // One report at the start, one at the end, and one every 10 s.
  expect(many.ofRegistry.length).toBeLessThan(20);
  expect(many.rows).toEqual(without.rows);
  expect(many.rows).toEqual([
    { relname: "job", inserted: 200, updated: 200, deleted: 0 },
    { relname: "job_attempt", inserted: 0, updated: 0, deleted: 0 },
    { relname: "job_log", inserted: 0, updated: 0, deleted: 0 },
    { relname: "job_progress", inserted: 0, updated: 0, deleted: 0 },
    { relname: "ready", inserted: 200, updated: 0, deleted: 200 },
  ]);
}, 180_000);

/** The WAL records of a database between two places that write a table or an index whose name matches. */
const recordsSql = `
  SELECT count(*)::int AS count FROM pg_get_wal_records_info($1, $2) r
  WHERE EXISTS (
    SELECT FROM pg_class c
    JOIN pg_database d ON d.datname = current_database()
    WHERE c.relnamespace = 'queuert'::regnamespace AND c.relname ~ $3
      AND r.block_ref ~ ('/' || d.oid || '/' || pg_relation_filenode(c.oid) || '[^0-9]'))`;

it("writes no WAL for the registry between two beats", async () => {
  const { pool, queuert } = await openClient(true);
  await pool.query("CREATE EXTENSION pg_walinspect");
  const place = async (): Promise<string> => {
    // A commit makes the server flush all that was written before.
    await pool.query("CREATE TABLE flushed (); DROP TABLE flushed");
    const sql = "SELECT pg_current_wal_flush_lsn()::text AS place";
    return (await pool.query<{ place: string }>(sql)).rows[0]?.place ?? "";
  };
  const recordsOf = async (from: string, to: string, tables: string): Promise<number> =>
    (await pool.query<{ count: number }>(recordsSql, [from, to, tables])).rows[0]?.count ?? 0;
  const registry = "^(worker|metric)";
  const begun = await place();
  const worker = await queuert
    .createWorker()
    .implementJobType({ typeName: "single", process: ({ complete }) => complete(null) })
    .start();
  const isReported = async () => (await pool.query("SELECT FROM queuert.worker")).rowCount === 1;
  await expect.poll(isReported, { timeout: 20_000 }).toBe(true);
  const from = await place();
  const sequences = Array.from(
    { length: 200 },
    (_, input) => ({ typeName: "single", input }) as const,
  );
  await queuert.startJobSequences({ sequences, autocommit: true });
  const completed = "SELECT FROM queuert.job WHERE status = 'completed'";
  const isDrained = async () => (await pool.query(completed)).rowCount === 200;
  await expect.poll(isDrained, { timeout: 60_000 }).toBe(true);
  const to = await place();
  await worker.stop();
  await queuert.close();
  const ended = await place();
  expect(await recordsOf(begun, from, registry)).toBeGreaterThan(0);
  // An idle worker reports every 24 to 36 s: no beat is between the two places.
  expect(await recordsOf(from, to, registry)).toBe(0);
  expect(await recordsOf(from, to, "^job$")).toBeGreaterThanOrEqual(400);
  expect(await recordsOf(to, ended, registry)).toBeGreaterThan(0);
}, 180_000);
