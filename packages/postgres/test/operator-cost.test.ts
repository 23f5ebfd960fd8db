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
/** Blocked jobs among the completed ones, each on another page of the table. */
const blockedCount = 1_000;
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
  await pool.query(
    `UPDATE queuert.job SET status = 'blocked', set_aside = 'blocked', finished_at = NULL
     WHERE type_name = 'task' AND ordinal % ${completedCount / blockedCount} = 0`,
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

  it("reads each page once to find retried jobs among many pending ones", async () => {
    const conditions = [{ field: "is", anyOf: ["retrying"], negated: false }] as const;
    const everyPending = { ...page, conditions, examineMax: 2 * scheduledCount };
    const search = () => adapter.operator?.examineJobs?.(everyPending);
    expect(await search()).toEqual({ jobs: [], examined: scheduledCount + 1, examinedTo: null });
    // To look up each pending job and its place in "ready" takes six pages for each.
    expect(await pagesOf(() => Promise.resolve(search()))).toBeLessThan(scheduledCount / 2);
    const count = () =>
      adapter.operator?.countJobs?.({ conditions, max: 10, examineMax: 2 * scheduledCount });
    expect(await count()).toEqual({ count: 0, isAtLeast: false });
    expect(await pagesOf(() => Promise.resolve(count()))).toBeLessThan(scheduledCount / 2);
  });

  const blocked = { field: "status", anyOf: ["blocked"], negated: false } as const;
  const everyBlocked = { ...page, limit: 10, examineMax: 2 * blockedCount };

  it("reads the jobs of the page alone, if the newest blocked jobs fill it", async () => {
    const search = () =>
      adapter.operator?.examineJobs?.({ ...everyBlocked, conditions: [blocked] });
    expect(await search()).toMatchObject({ jobs: { length: 10 }, examined: 10 });
    expect(await pagesOf(() => Promise.resolve(search()))).toBeLessThan(blockedCount / 4);
  });

  it("reads each blocked job once if few of them match", async () => {
    const conditions = [
      blocked,
      { field: "text", of: "typeName", anyOf: ["absent"], negated: false },
    ] as const;
    const search = () => adapter.operator?.examineJobs?.({ ...everyBlocked, conditions });
    expect(await search()).toEqual({ jobs: [], examined: blockedCount, examinedTo: null });
    // To probe "job_ordinal" for each of them takes four times as many.
    expect(await pagesOf(() => Promise.resolve(search()))).toBeLessThan(2 * blockedCount);
    const count = () => adapter.operator?.countJobs?.({ ...everyBlocked, conditions, max: 10 });
    expect(await count()).toEqual({ count: 0, isAtLeast: false });
    expect(await pagesOf(() => Promise.resolve(count()))).toBeLessThan(1.5 * blockedCount);
  });

  it("looks for no lease of pending jobs if the status is not that of open ones", async () => {
    const conditions = [{ field: "status", anyOf: ["completed"], negated: false }] as const;
    const newest = { ...page, conditions, examineMax: scheduledCount };
    const search = () => adapter.operator?.examineJobs?.(newest);
    expect(await search()).toMatchObject({ jobs: [], examined: scheduledCount });
    expect(await pagesOf(() => Promise.resolve(search()))).toBeLessThan(scheduledCount / 2);
  });

  it("counts the jobs before a job within the bound", async () => {
    const count = () => adapter.operator?.countAhead?.({ ids: [waitingId], max: 100 });
    expect(await count()).toEqual([{ ahead: 0, higherPriority: 0, isAtLeast: true }]);
    expect(await pagesOf(() => Promise.resolve(count()))).toBeLessThan(50);
  });
});

describe("a job that completes", () => {
  it("writes no row of an attempt, not even one that is deleted again", async () => {
    const steps = createStateSteps(adapter);
    const tried = { typeName: "tried" };
    for (let count = 0; count < 20; count += 1) {
      await steps.complete(await steps.createRunning(tried));
    }
    const { id, leaseVersion } = await steps.createRunning(tried);
    const handedBack = { jobId: id, leaseVersion, schedule: null, countsAttempt: false };
    await adapter.rescheduleJobs({ jobs: [{ ...handedBack, error: null }] });
    await steps.fail(await steps.acquireOne(tried), "Error: late");
    // The second row that was ever written: the first is that of the job of type `old`.
    const { rows } = await pool.query(
      "SELECT ctid::text AS place FROM queuert.job_attempt WHERE job_id::text = $1",
      [id],
    );
    expect(rows).toEqual([{ place: "(0,2)" }]);
  });
});
