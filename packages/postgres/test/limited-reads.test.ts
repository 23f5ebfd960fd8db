// A read of an operator is ended by the server, and the connection is free again.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { StatementTimeoutError } from "queuert/internal";
import { createStateSteps, eventually, jobs } from "queuert/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPgStateAdapter, type PgStateProvider } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPgliteStateProvider } from "../src/providers/pglite.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";

const openDatabase = async () => {
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  onTestFinished(() => pool.end());
  return { url, pool };
};

const openAdapter = async (provider: object) => {
  // Contexts are opaque here.
  const stateProvider = provider as PgStateProvider<object, object>;
  const adapter = await createPgStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  return adapter;
};

const absent = { field: "contains", of: ["input"], anyOf: ["nowhere"], negated: false } as const;

describe("a read of an operator", () => {
  it("that waits for a lock is ended by the server", async () => {
    const { pool } = await openDatabase();
    const stateAdapter = await openAdapter(createPgPoolStateProvider(pool));
    const { operator } = stateAdapter;
    const locker = await pool.connect();
    await locker.query("BEGIN; LOCK TABLE queuert.job IN ACCESS EXCLUSIVE MODE");
    const reads = [
      () => stateAdapter.summarize({ runningLongMs: 1, timeoutMs: 300 }),
      () => operator?.countJobs?.({ conditions: [], max: 1, examineMax: 1, timeoutMs: 300 }),
    ];
    for (const read of reads) {
      await expect(read()).rejects.toMatchObject({
        ...{ code: "QUEUERT_STATEMENT_TIMEOUT", timeoutMs: 300 },
      });
    }
    // The table is locked still, and yet no statement waits for it.
    await eventually(async () => {
      const { rows } = await locker.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rows[0]?.count === 0 ? true : undefined;
    }, "no statement that waits");
    await locker.query("ROLLBACK");
    locker.release();
    expect(await reads[1]?.()).toEqual({ count: 0, isAtLeast: false });
  });

  it.each(["pg", "postgres.js", "PGlite"])("that takes too long is ended on %s", async (driver) => {
    const open = async (): Promise<object> => {
      if (driver === "PGlite") {
        const pglite = await PGlite.create();
        onTestFinished(() => pglite.close());
        return createPgliteStateProvider(pglite);
      }
      const { url, pool } = await openDatabase();
      if (driver === "pg") return createPgPoolStateProvider(pool);
      const sql = postgres(url, { max: 4, onnotice: () => undefined });
      onTestFinished(() => sql.end());
      return createPostgresJsStateProvider(sql);
    };
    const adapter = await openAdapter(await open());
    for (let created = 0; created < 30_000; created += 3_000) {
      await adapter.createJobs({ jobs: jobs(3_000) });
    }
    const page = { order: "asc", limit: 1, afterOrdinal: null, ordinalMax: null } as const;
    const search = (timeoutMs?: number) =>
      adapter.operator?.examineJobs?.({
        ...{ ...page, conditions: [absent], examineMax: 30_000, timeoutMs },
      });
    expect(await search(60_000)).toMatchObject({ jobs: [], examined: 30_000 });
    if (driver === "PGlite") {
      // A server in the same thread has no timer that could end a statement.
      expect(await search(1)).toMatchObject({ examined: 30_000 });
    } else {
      await expect(search(1)).rejects.toBeInstanceOf(StatementTimeoutError);
    }
    expect(await search()).toMatchObject({ jobs: [], examined: 30_000 });
  });

  it("writes nothing, and leaves no setting behind", async () => {
    const { pool } = await openDatabase();
    const adapter = await openAdapter(createPgPoolStateProvider(pool));
    const steps = createStateSteps(adapter as never);
    await adapter.summarize({ runningLongMs: 1, timeoutMs: 50 });
    await steps.createCompleted();
    const { rows } = await pool.query("SHOW statement_timeout");
    expect(rows).toEqual([{ statement_timeout: "0" }]);
  });
});
