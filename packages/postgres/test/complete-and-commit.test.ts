// The last statement of a transaction also commits. If the lease of the job was lost meanwhile, nothing is committed. A
// commit that fails is a failure. Each test runs through every driver that can do this.
import { randomUUID } from "node:crypto";
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import postgres from "postgres";
import type { AnyStateAdapter, CompleteJobsResult } from "queuert/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import type { TestConnection } from "../src/testing.ts";
import { anEntryJob } from "./call-every-method.ts";
import { connectPg, connectPostgresJs, lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

const connectPrepared = async (connectionString: string): Promise<TestConnection> => {
  const pool = new pg.Pool({ connectionString, max: 5 });
  const provider = createPgPoolStateProvider(pool, { preparedStatements: true });
  return { provider, close: () => pool.end() };
};

const connectPreparedPostgresJs = async (url: string): Promise<TestConnection> => {
  const sql = postgres(url, { max: 5, fetch_types: false, onnotice: () => {} });
  const provider = createPostgresJsStateProvider(sql, { preparedStatements: true });
  return { provider, close: () => sql.end({ timeout: 5 }) };
};

const drivers: readonly (readonly [string, (url: string) => Promise<TestConnection>])[] = [
  ["pg", connectPg],
  ["pg with prepared statements", connectPrepared],
  ["pg with pipelining", (connectionString) => connectPg(connectionString, { pipeline: true })],
  ["postgres.js", connectPostgresJs],
  ["postgres.js with prepared statements", connectPreparedPostgresJs],
];

const workerId = "w";

describe.each(drivers)("%s", (_, connect) => {
  let connection: TestConnection;
  let state: AnyStateAdapter;
  // Another process: its own way to the database.
  let other: pg.Pool;

  beforeAll(async () => {
    connection = await connect(await url());
    other = new pg.Pool({ connectionString: await url() });
    const adapter = await createPgStateAdapter({ stateProvider: connection.provider });
    await adapter.migrateToLatest();
    state = adapter;
    await other.query("CREATE TABLE IF NOT EXISTS effect (text text)");
    await other.query(
      "CREATE TABLE IF NOT EXISTS deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)",
    );
    // From the second time on, postgres.js sends its prepared statements as a whole, and COMMIT with them.
    const unknown = { jobId: randomUUID(), leaseVersion: 1 };
    await Promise.all(Array.from({ length: 5 }, () => writeAndComplete(unknown)));
  });
  beforeEach(async () => {
    await other.query("TRUNCATE effect, deferred, queuert.job, queuert.ready, queuert.lease");
  });
  afterAll(async () => {
    await other.end();
    await connection.close();
  });

  const take = async (): Promise<{ jobId: string; leaseVersion: number }> => {
    await state.createJobs({ jobs: [anEntryJob()] });
    const types = [{ typeName: "every", leaseMs: 60_000, limit: 1 }];
    const { jobs } = await state.acquireJobs({ workerId, limit: 1, types });
    const job = jobs[0]?.job;
    if (job === undefined) throw new Error("There is a job to take");
    return { jobId: job.id, leaseVersion: job.leaseVersion };
  };
  type Lease = Awaited<ReturnType<typeof take>>;

  const run = (sql: string, context: object) =>
    connection.provider.executeSql({ sql, params: [] }, context);

  const complete = (context: object, lease: Lease): Promise<CompleteJobsResult> =>
    state.completeJobs({
      context,
      workerId,
      andCommit: true,
      completions: [{ ...lease, outcome: { kind: "output", output: "1" } }],
    });

  /** A user's callback that writes, then the events of another transaction, then the completion. */
  const writeAndComplete = async (
    lease: Lease,
    between: (context: object) => unknown = () => undefined,
  ): Promise<CompleteJobsResult["results"][number] | undefined> => {
    let result: CompleteJobsResult["results"][number] | undefined;
    const rolledBack = new Error("rolled back");
    await state
      .runInTransaction(async (context) => {
        await run("INSERT INTO effect VALUES ('user')", context);
        await between(context);
        [result] = (await complete(context, lease)).results;
        if (result?.kind === "lost") throw rolledBack;
      })
      .catch((error: unknown) => {
        if (error !== rolledBack) throw error;
      });
    return result;
  };

  const effectCount = async (): Promise<number | null> =>
    (await other.query("SELECT FROM effect")).rowCount;
  const statusOf = async ({ jobId }: Lease): Promise<string | undefined> =>
    (await state.getJobs({ ids: [jobId] }))[0]?.status;

  it("stores the completion and the user's writes", async () => {
    expect(state.capabilities.completesAndCommits).toBe(true);
    const lease = await take();
    expect(await writeAndComplete(lease)).toMatchObject({ kind: "completed" });
    expect([await statusOf(lease), await effectCount()]).toEqual(["completed", 1]);
  });

  it("has committed when it answers, and a callback that rejects then undoes nothing", async () => {
    const lease = await take();
    const late = new Error("too late");
    const transaction = state.runInTransaction(async (context) => {
      await run("INSERT INTO effect VALUES ('user')", context);
      await complete(context, lease);
      expect([await statusOf(lease), await effectCount()]).toEqual(["completed", 1]);
      throw late;
    });
    await expect(transaction).rejects.toBe(late);
    expect([await statusOf(lease), await effectCount()]).toEqual(["completed", 1]);
  });

  it.each([
    ["taken_by_another_worker", "UPDATE queuert.job SET lease_version = lease_version + 1"],
    [
      "already_completed",
      `UPDATE queuert.job SET status = 'completed', output = '2', completed_by = 'thief', finished_at = now(),
        lease_version = lease_version + 1`,
    ],
    ["not_found", "DELETE FROM queuert.job"],
  ])("nothing is committed when the job is %s in between", async (reason, sql) => {
    const lease = await take();
    const result = await writeAndComplete(lease, () => other.query(sql));
    expect(result).toMatchObject({ kind: "lost", reason, storedByThisLease: false });
    expect(await effectCount()).toBe(0);
    expect((await state.getJobs({ ids: [lease.jobId] }))[0]?.output ?? null).not.toBe("1");
    // The connection is as good as before.
    expect(await writeAndComplete(await take())).toMatchObject({ kind: "completed" });
  });

  it("nothing is committed when the job is taken while the completion waits for its row", async () => {
    const lease = await take();
    const thief = await other.connect();
    try {
      await thief.query("BEGIN");
      await thief.query("UPDATE queuert.job SET lease_version = lease_version + 1");
      const completing = writeAndComplete(lease);
      await untilSomebodyWaits(other);
      await thief.query("COMMIT");
      expect(await completing).toMatchObject({ kind: "lost", reason: "taken_by_another_worker" });
      expect(await effectCount()).toBe(0);
    } finally {
      thief.release();
    }
  });

  it("a commit that fails rejects, and leaves a connection that is good", async () => {
    const lease = await take();
    const failing = writeAndComplete(lease, (context) =>
      run("INSERT INTO deferred VALUES (1), (1)", context),
    );
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect([await statusOf(lease), await effectCount()]).toEqual(["running", 0]);
    expect(await writeAndComplete(lease)).toMatchObject({ kind: "completed" });
    expect([await statusOf(lease), await effectCount()]).toEqual(["completed", 1]);
  });

  it("a transaction in which a statement has failed is not committed", async () => {
    const lease = await take();
    const failing = writeAndComplete(lease, (context) =>
      run("SELECT 1 / 0", context).catch(() => undefined),
    );
    await expect(failing).rejects.toThrow();
    expect([await statusOf(lease), await effectCount()]).toEqual(["running", 0]);
  });

  it("a connection cut while it completes is an error, and nothing is stored", async () => {
    const lease = await take();
    const holder = await other.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT FROM queuert.job FOR UPDATE");
      const completing = writeAndComplete(lease);
      const rejection = expect(completing).rejects.toThrow();
      const pid = await untilSomebodyWaits(other);
      await other.query("SELECT pg_terminate_backend($1)", [pid]);
      await rejection;
      await holder.query("COMMIT");
      expect([await statusOf(lease), await effectCount()]).toEqual(["running", 0]);
    } finally {
      holder.release();
    }
  });
});

const untilSomebodyWaits = async (pool: pg.Pool): Promise<number> => {
  for (;;) {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%complete_job%'`,
    );
    if (rows[0] !== undefined) return rows[0].pid;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
