// SKIP LOCKED can wait for the update of a row that its holder has released between the server's read of it and its lock.
// That moment cannot be held open from outside. A trigger takes its place: it makes the statement wait, with a locked row,
// for a transaction that then wants that row. The server is not asked to find the deadlock in time.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter, isTransientPgError } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

const awaited = 1;

const makeWritersWait = (table: string): string => `
  CREATE FUNCTION wait_in_between() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${awaited});
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  END $$;
  CREATE TRIGGER wait_in_between BEFORE UPDATE OR DELETE ON queuert.${table}
  FOR EACH ROW EXECUTE FUNCTION wait_in_between()`;

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;
  let adapter: AnyStateAdapter;
  let id: string;

  beforeEach(async () => {
    const database = await databases().createDatabase();
    const options = "-c deadlock_timeout=60s";
    pool = new pg.Pool({ connectionString: database.url, max: 10, options });
    const provider = createPgPoolStateProvider(pool);
    const connectionRetryConfig = { maxRetries: 0 };
    const pgAdapter = await createPgStateAdapter({
      stateProvider: provider,
      connectionRetryConfig,
    });
    await pgAdapter.migrateToLatest();
    adapter = pgAdapter;
    const [created] = await adapter.createJobs({ jobs: [aJob()] });
    id = created?.job.id ?? "";
  });
  afterEach(() => pool.end());

  const acquire = (leaseMs: number) =>
    adapter.acquireJobs({
      workerId: "w",
      limit: 1,
      types: [{ typeName: "task", leaseMs, limit: 1 }],
    });

  interface Skipper {
    /** Of the row that is locked while the statement waits. */
    readonly table: string;
    readonly prepare?: () => Promise<unknown>;
    readonly run: () => Promise<unknown>;
  }

  const skippers: Readonly<Record<string, Skipper>> = {
    "acquireJobs of a pending job": { table: "ready", run: () => acquire(60_000) },
    "acquireJobs of a lost job": {
      table: "job",
      prepare: () => acquire(0),
      run: () => acquire(60_000),
    },
    renewLeases: {
      table: "lease",
      prepare: () => acquire(60_000),
      run: () => adapter.renewLeases({ leases: [{ jobId: id, leaseVersion: 1, leaseMs: 90_000 }] }),
    },
    reclaimExpiredLeases: {
      table: "job",
      prepare: () => acquire(0),
      run: () => adapter.reclaimExpiredLeases({ limit: 1 }),
    },
    deleteFinishedSequences: {
      table: "job",
      prepare: () =>
        adapter.completeJobs({
          workerId: null,
          completions: [
            { jobId: id, leaseVersion: null, outcome: { kind: "output", output: "1" } },
          ],
        }),
      run: () =>
        adapter.deleteFinishedSequences({
          completedForMs: 0,
          failedForMs: 0,
          cancelledForMs: 0,
          limit: 1,
        }),
    },
  };

  const untilOneWaits = async (): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      if (rows.length > 0) return;
    }
  };

  it.each(Object.entries(skippers))(
    "%s gives way to the transaction that it waits for",
    async (_name, skipper) => {
      await skipper.prepare?.();
      await pool.query(makeWritersWait(skipper.table));
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock($1)", [awaited]);
      const failure = skipper.run().then(
        () => undefined,
        (error: unknown) => error,
      );
      await untilOneWaits();
      const { rows } = await client.query(`SELECT FROM queuert.${skipper.table} FOR NO KEY UPDATE`);
      expect(rows).toHaveLength(1);
      expect(await failure).toMatchObject({ code: "55P03" });
      // So an adapter with its usual retries asks again.
      expect(isTransientPgError(await failure)).toBe(true);
      await client.query("COMMIT");
      client.release();
      await skipper.run();
    },
  );
});
