// A search reads a range of ordinals, or the few jobs of a partial index. Its plans name no other way to the jobs.
import type { ExamineJobsParams, StoreCondition } from "queuert/internal";
import { describe, expect, it } from "vitest";
import { createSqliteStateAdapter, type SqliteConnection } from "../src/index.ts";
import { aNewJob, openProvider, temporaryFile } from "./open-store.ts";

const openRecorded = async ({ isAnalyzed = false } = {}) => {
  const provider = await openProvider(temporaryFile());
  const recorded = new Set<string>();
  const record = (connection: SqliteConnection): SqliteConnection => ({
    prepare: (sql) => {
      recorded.add(sql);
      return connection.prepare(sql);
    },
    exec: (sql) => connection.exec(sql),
    get inTransaction() {
      return connection.inTransaction;
    },
  });
  const adapter = await createSqliteStateAdapter({
    stateProvider: { ...provider, read: (step) => provider.read((open) => step(record(open))) },
  });
  const created = await adapter.createJobs({ jobs: Array.from({ length: 50 }, () => aNewJob()) });
  const lastId = created.at(-1)?.job.id ?? "";
  // No job is blocked or has failed.
  if (isAnalyzed) await provider.write?.((connection) => connection.exec("ANALYZE"));
  recorded.clear();
  /** The steps of each statement, in the words of SQLite. */
  const plans = (): Promise<readonly string[]> =>
    provider.read((connection) =>
      [...recorded].flatMap((sql) =>
        connection
          .prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`)
          .all()
          .map((row) => String(row[3])),
      ),
    );
  /** Each way to the jobs. */
  const waysToJobs = async (): Promise<readonly string[]> =>
    (await plans()).filter((step) => /\b(job|queuert_job)\b/.test(step));
  return { adapter, lastId, waysToJobs, plans };
};

const page: Omit<ExamineJobsParams, "conditions"> = {
  order: "desc",
  limit: 50,
  afterOrdinal: 40,
  ordinalMax: null,
  examineMax: 10,
};

const conditions: readonly StoreCondition[] = [
  { field: "text", of: "typeName", anyOf: ["absent"], negated: false },
  { field: "text", of: "deduplicationKey", anyOf: ["k"], negated: false },
  { field: "contains", of: ["input", "lastAttemptError"], anyOf: ["x"], negated: false },
  { field: "status", anyOf: ["completed"], negated: false },
  { field: "time", of: "finishedAt", from: new Date(0), to: null, negated: false },
  { field: "number", of: "attempt", min: 1, max: null, negated: true },
];

describe("a search", () => {
  it.each(conditions)("for $field, $of reads a range of ordinals", async (condition) => {
    const { adapter, waysToJobs } = await openRecorded();
    const found = await adapter.operator?.examineJobs?.({ ...page, conditions: [condition] });
    expect(found?.examined).toBe(10);
    const ways = await waysToJobs();
    expect(ways.length).toBeGreaterThan(0);
    expect(ways.filter((way) => !way.includes("USING INTEGER PRIMARY KEY (rowid"))).toEqual([]);
  });

  it("for failed jobs reads their partial index", async () => {
    const { adapter, waysToJobs } = await openRecorded();
    const failed = [{ field: "status", anyOf: ["failed"], negated: false }] as const;
    const found = await adapter.operator?.examineJobs?.({ ...page, conditions: failed });
    expect(found).toEqual({ jobs: [], examined: 0, examinedTo: null });
    expect((await waysToJobs()).join("\n")).toContain("queuert_job_failed");
  });

  it("for the summary reads no blocked job but those behind a failed one, also with old statistics", async () => {
    const { adapter, plans } = await openRecorded({ isAnalyzed: true });
    await adapter.summarize({ runningLongMs: 1_000 });
    const steps = await plans();
    expect(steps.filter((step) => /\b(waiting|edge)\b/.test(step))).toEqual([
      expect.stringContaining("SEARCH edge USING"),
      expect.stringContaining("SEARCH waiting USING INDEX sqlite_autoindex"),
    ]);
  });

  it("for the jobs before a job reads the index of due jobs", async () => {
    const { adapter, lastId, waysToJobs } = await openRecorded();
    const counts = await adapter.operator?.countAhead?.({ ids: [lastId], max: 10 });
    expect(counts).toEqual([{ ahead: 10, higherPriority: 0, isAtLeast: true }]);
    const ways = (await waysToJobs()).filter((way) => way.startsWith("SCAN"));
    expect(ways).toEqual([]);
  });
});
