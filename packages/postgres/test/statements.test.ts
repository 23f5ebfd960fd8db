// Every statement the adapter can send, prepared by the server: the parameters it declares are all text, and the columns
// it answers with are those that are read.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import { acquiredColumns } from "../src/acquired-row.ts";
import { jobColumns } from "../src/job-row.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { callEveryMethod } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const jobResultColumns = ["kind", "element", "detail", ...jobColumns.map(({ name }) => name)];

// Of statements that answer with something else than job_result.
const columnsByName: Readonly<Record<string, readonly string[]>> = {
  queuert_acquire_few_jobs: acquiredColumns.map(({ name }) => name),
  queuert_acquire_jobs: acquiredColumns.map(({ name }) => name),
  queuert_get_store_id: ["id"],
  queuert_insert_job_0: ["ordinal", "created_at_us"],
  queuert_insert_job_4: ["ordinal", "created_at_us"],
  queuert_get_jobs: ["element", ...jobColumns.map(({ name }) => name)],
  queuert_get_sequences: ["role", "element", ...jobColumns.map(({ name }) => name)],
  queuert_get_blockers: ["role", "element", ...jobColumns.map(({ name }) => name)],
  queuert_lock_sequences_narrow: ["role", ...jobResultColumns],
  queuert_list_blocker_edges: ["sequence_id", "job_id", "blocker_sequence_id", "index", "ordinal"],
  queuert_list_jobs: jobColumns.map(({ name }) => name),
  queuert_list_sequences: ["role", "element", ...jobColumns.map(({ name }) => name)],
  queuert_summarize: ["kind", "type_name", "status", "value", "oldest_ms"],
};

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
        "queuert_insert_job_0",
        "queuert_create_jobs",
        "queuert_insert_job_4",
        "queuert_add_blockers",
        "queuert_lock_sequences_narrow",
        "queuert_acquire_few_jobs",
        "queuert_renew_leases",
        "queuert_acquire_jobs",
        "queuert_reschedule_jobs",
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
        "queuert_delete_sequences",
        "queuert_delete_finished_sequences",
      }
    `);
  });

  it("declares text parameters and the columns that are read", async () => {
    for (const { name = "", sql, params } of statements.values()) {
      const client = await pool.connect();
      try {
        await client.query(`PREPARE checked AS ${sql}`);
        const { rows } = await client.query<{ types: string[] }>(
          "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'checked'",
        );
        const types = new Set(params.map(() => "text"));
        expect([name, new Set(rows[0]?.types)]).toEqual([name, types]);
        const nothing = rows[0]?.types.map(() => null) ?? [];
        await client.query("BEGIN");
        // An insert is no subquery: it is made once more, under another id.
        const { fields } = await client.query(
          sql.startsWith("INSERT")
            ? { text: sql, values: [crypto.randomUUID(), ...params.slice(1)] }
            : { text: `SELECT * FROM (${sql}) s LIMIT 0`, values: nothing },
        );
        const expected = columnsByName[name.replace(/_[0-9a-f]{12}$/, "")] ?? jobResultColumns;
        expect([name, fields.map((field) => field.name)]).toEqual([name, expected]);
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
