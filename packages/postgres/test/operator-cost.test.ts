// A search reads a bounded number of pages, by the server's own count, however few jobs match and however many there are.
import pg from "pg";
import type { AnyStateAdapter, ExamineJobsParams, StoreCondition } from "queuert/internal";
import { createStateSteps, jobs } from "queuert/testing";
import { providedPostgres } from "@queuert/test-services/provided";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";

const completedCount = 20_000;
const scheduledCount = 2_000;
const examineMax = 100;
/** Up to six for each job that is looked at. The table has more than 1,000. */
const pagesMax = 600;

let pool: pg.Pool;
let adapter: AnyStateAdapter;
let waitingId: string;
const sent: PgStatement[] = [];

beforeAll(async () => {
  const { url } = await providedPostgres().createDatabase();
  pool = new pg.Pool({ connectionString: url, max: 3 });
  const provider = createPgPoolStateProvider(pool);
  const postgres = await createPgStateAdapter({
    stateProvider: {
      ...provider,
      executeSql: (statement, context) => {
        sent.push(statement);
        return provider.executeSql(statement, context);
      },
    },
  });
  await postgres.migrateToLatest();
  adapter = postgres as unknown as AnyStateAdapter;
  const steps = createStateSteps(adapter);
  await steps.createFailed({ typeName: "old" }, "Error: early");
  for (let created = 0; created < completedCount; created += 2_000) {
    await adapter.createJobs({ jobs: jobs(2_000) });
  }
  await pool.query(
    "UPDATE queuert.job SET status = 'completed', finished_at = now() WHERE type_name = 'task'",
  );
  await pool.query("DELETE FROM queuert.ready");
  const later = { schedule: { afterMs: 3_600_000 }, typeName: "busy", priority: 9 };
  await adapter.createJobs({ jobs: jobs(scheduledCount, later) });
  waitingId = (await steps.createOne({ typeName: "busy" })).id;
  await pool.query("VACUUM ANALYZE queuert.job");
  const { rows } = await pool.query<{ count: number }>(
    "SELECT relpages AS count FROM pg_class WHERE oid = 'queuert.job'::regclass",
  );
  expect(rows[0]?.count).toBeGreaterThan(1_000);
}, 60_000);
afterAll(() => pool.end());

/** Pages that the statements of a call read. */
const pagesOf = async (call: () => Promise<unknown>): Promise<number> => {
  sent.length = 0;
  await call();
  let pages = 0;
  for (const { sql, params } of [...sent]) {
    const { rows } = await pool.query<{ "QUERY PLAN": readonly Plan[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
      [...params],
    );
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
    pages += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
  }
  return pages;
};

interface Plan {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}

const page: Omit<ExamineJobsParams, "conditions"> = {
  order: "desc",
  limit: 50,
  afterOrdinal: null,
  ordinalMax: null,
  examineMax,
};

describe("a search of 22,000 jobs", () => {
  const searches: readonly (readonly [string, StoreCondition])[] = [
    [
      "a type that no job has",
      { field: "text", of: "typeName", anyOf: ["absent"], negated: false },
    ],
    ["a text of payloads", { field: "contains", of: ["input"], anyOf: ["no"], negated: false }],
    ["completed jobs", { field: "status", anyOf: ["completed"], negated: false }],
    ["many scheduled jobs", { field: "is", anyOf: ["scheduled"], negated: false }],
    ["a worker", { field: "text", of: "completedBy", anyOf: ["w"], negated: false }],
    ["a negation", { field: "status", anyOf: ["pending", "completed"], negated: true }],
  ];
  it.each(searches)("for %s reads a bounded number of pages", async (_, condition) => {
    const search = () => adapter.operator?.examineJobs?.({ ...page, conditions: [condition] });
    expect(await search()).toMatchObject({ examined: expect.any(Number) });
    const pages = await pagesOf(() => Promise.resolve(search()));
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(pagesMax);
  });

  it("finds the oldest failed job without a look at the completed ones", async () => {
    const conditions = [{ field: "status", anyOf: ["failed"], negated: false }] as const;
    const search = () => adapter.operator?.examineJobs?.({ ...page, conditions });
    expect(await search()).toMatchObject({
      jobs: [{ typeName: "old" }],
      examined: 1,
      examinedTo: null,
    });
    expect(await pagesOf(() => Promise.resolve(search()))).toBeLessThan(50);
  });

  it("counts the jobs before a job within the bound", async () => {
    const count = () => adapter.operator?.countAhead?.({ ids: [waitingId], max: 100 });
    expect(await count()).toEqual([{ ahead: 0, higherPriority: 0, isAtLeast: true }]);
    expect(await pagesOf(() => Promise.resolve(count()))).toBeLessThan(50);
  });
});
