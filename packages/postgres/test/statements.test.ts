// Every statement that the adapter can send, prepared by the server: all parameters are declared as text.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { callEveryMethod } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

describe.each(servers)("%s", (_, databases) => {
  const statements = new Map<string, PgStatement>();
  let pool: pg.Pool;

  beforeAll(async () => {
    const { url } = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: url });
    const provider = createPgPoolStateProvider(pool);
    const adapter = await createPgStateAdapter({
      stateProvider: {
        ...provider,
        executeSql: (statement, context) => {
          if (statement.name !== undefined) statements.set(statement.name, statement);
          return provider.executeSql(statement, context);
        },
      },
    });
    await adapter.migrateToLatest();
    statements.clear();
    await callEveryMethod(adapter);
  });
  afterAll(() => pool.end());

  it("takes one statement for each method of the contract", () => {
    const names = [...statements.keys()].map((name) => name.replace(/_[0-9a-f]{12}$/, ""));
    expect(new Set(names)).toMatchInlineSnapshot(`
      Set {
        "queuert_get_store_id",
        "queuert_create_usual_job",
        "queuert_create_jobs",
        "queuert_create_job_with_options",
        "queuert_set_deadlines",
        "queuert_add_blockers",
        "queuert_lock_sequences",
        "queuert_acquire_jobs",
        "queuert_renew_leases",
        "queuert_reschedule_jobs",
        "queuert_update_jobs",
        "queuert_trigger_jobs",
        "queuert_fail_jobs",
        "queuert_retry_failed_jobs",
        "queuert_reclaim_expired_leases",
        "queuert_complete_jobs",
        "queuert_get_jobs",
        "queuert_get_sequences",
        "queuert_get_blockers",
        "queuert_list_blocker_edges",
        "queuert_list_jobs",
        "queuert_list_sequences",
        "queuert_summarize",
        "queuert_read_clock",
        "queuert_examine_jobs",
        "queuert_count_ahead",
        "queuert_find_keys",
        "queuert_list_attempts",
        "queuert_append_logs",
        "queuert_list_logs",
        "queuert_list_progress",
        "queuert_beat",
        "queuert_list_workers",
        "queuert_record_metrics",
        "queuert_list_metrics",
        "queuert_list_next",
        "queuert_list_limit_keys",
        "queuert_expire_leases",
        "queuert_begin_action",
        "queuert_finish_action",
        "queuert_list_actions",
        "queuert_delete_sequences",
        "queuert_set_limits",
        "queuert_get_limits",
        "queuert_delete_limits",
        "queuert_pause",
        "queuert_get_pauses",
        "queuert_resume",
        "queuert_view_cancellation",
        "queuert_set_savepoint",
        "queuert_release_savepoint",
        "queuert_cancel_locked_jobs",
        "queuert_delete_finished_sequences",
      }
    `);
  });

  it("declares text parameters only", async () => {
    for (const { name = "", sql, params } of statements.values()) {
      // Such as SAVEPOINT, which PREPARE does not take.
      if (params.length === 0) continue;
      const client = await pool.connect();
      try {
        await client.query(`PREPARE checked AS ${sql}`);
        const { rows } = await client.query<{ types: string[] }>(
          "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'checked'",
        );
        const types = new Set(params.map(() => "text"));
        expect([name, new Set(rows[0]?.types)]).toEqual([name, types]);
      } finally {
        client.release(true);
      }
    }
  });

  it("is prepared under one name for one text", async () => {
    const prepared = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool, { preparedStatements: true }),
    });
    await callEveryMethod(prepared);
    await callEveryMethod(prepared);
  });

  it("is named otherwise for another store on the same connections", async () => {
    const provider = createPgPoolStateProvider(pool, { preparedStatements: true });
    const texts = new Map<string, Set<string>>();
    const stateProvider: typeof provider = {
      ...provider,
      executeSql: (statement, context) => {
        const { name = "", sql } = statement;
        if (name !== "") texts.set(name, (texts.get(name) ?? new Set()).add(sql));
        return provider.executeSql(statement, context);
      },
    };
    const stores = [{}, { schema: "second" }, { schema: "second", idDefault: "gen_random_uuid()" }];
    for (const options of stores) {
      const store = await createPgStateAdapter({ stateProvider, ...options });
      await store.migrateToLatest();
      await callEveryMethod(store);
    }
    for (const [name, sqls] of texts) expect([name, sqls.size]).toEqual([name, 1]);
  });

  it("does not depend on the search_path, nor on settings of the session", async () => {
    const { options } = pool;
    const odd = new pg.Pool({
      ...options,
      options:
        "-c search_path=nowhere -c TimeZone=Asia/Kathmandu -c DateStyle=German,DMY -c IntervalStyle=iso_8601 -c extra_float_digits=-10 -c default_transaction_isolation=serializable",
    });
    try {
      const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(odd) });
      await callEveryMethod(adapter);
    } finally {
      await odd.end();
    }
  });
});
