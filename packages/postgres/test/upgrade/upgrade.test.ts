// During a deployment workers of two versions run side by side. The new one migrates, the old one continues with its
// routines, and neither loses a job.
import { startVersion } from "@queuert/test-services/next-version";
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { expect, it } from "vitest";
import { createPgStateAdapter } from "../../src/index.ts";
import { ownRoutines, routineSql } from "../../src/migrations/installed-routines.ts";
import { migrations } from "../../src/migrations/index.ts";
import { createPgPoolStateProvider } from "../../src/providers/pg.ts";
import type { Routine } from "../../src/routines/routine.ts";
import { createStoreNames } from "../../src/store-names.ts";
import { anEntryJob } from "../call-every-method.ts";
import { copyAsNextVersion, packageFolder } from "./next-version.ts";

interface Report {
  readonly applied?: readonly string[];
  readonly started: number;
  readonly problems: readonly string[];
  readonly appliedAgain: readonly string[];
  readonly differences: {
    readonly missing: readonly string[];
    readonly unexpected: readonly string[];
  };
}

it("an old and a new worker share a migrated schema under load, and lose nothing", async () => {
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const nextVersion = await copyAsNextVersion();
  const completedCount = async (workerId: string): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM queuert.job WHERE completed_by = $1",
      [workerId],
    );
    return rows[0]?.count ?? 0;
  };
  const untilCompleted = async (workerId: string, count: number): Promise<void> => {
    while ((await completedCount(workerId)) < count) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  try {
    await pool.query("CREATE TABLE done (key text NOT NULL)");
    const old = startVersion<Report>(packageFolder, [url, "old"]);
    expect(await old.next()).toEqual({
      applied: [...migrations.map(({ name }) => name), "routines-1"],
    });
    await untilCompleted("old", 300);

    // It migrates while the old one works.
    const young = startVersion<Report>(nextVersion.folder, [url, "young"]);
    expect(await young.next()).toEqual({ applied: ["9999-add-progress", "routines-2"] });
    const before = await completedCount("old");
    await Promise.all([untilCompleted("young", 300), untilCompleted("old", before + 300)]);
    old.end();
    young.end();
    const [oldReport, youngReport] = [await old.next(), await young.next()];

    expect([oldReport.problems, youngReport.problems]).toEqual([[], []]);
    const none = { missing: [], unexpected: [] };
    expect(youngReport).toMatchObject({ appliedAgain: [], differences: none });
    // The schema still serves the old version; it only does not know the column.
    expect(oldReport.appliedAgain).toEqual([]);
    const { rows } = await pool.query<{ count: number; keys: number }>(
      "SELECT count(*)::int AS count, count(DISTINCT key)::int AS keys FROM done",
    );
    const expected = 2 * (oldReport.started + youngReport.started);
    expect(rows).toEqual([{ count: expected, keys: expected }]);
    // Workers of both versions called the new body after the migration.
    const written = await pool.query<{ worker: string }>(
      "SELECT DISTINCT completed_by AS worker FROM queuert.job WHERE progress = 'done' ORDER BY 1",
    );
    expect(written.rows.map(({ worker }) => worker)).toEqual(["old", "young"]);
  } finally {
    await pool.end();
    await nextVersion.remove();
  }
}, 120_000);

it.each([false, true])(
  "lists jobs across a new column, with prepared statements: %s",
  async (preparedStatements) => {
    const { url } = await providedPostgres().createDatabase();
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    try {
      const stateProvider = createPgPoolStateProvider(pool, { preparedStatements });
      const adapter = await createPgStateAdapter({ stateProvider });
      await adapter.migrateToLatest();
      const [entry] = await adapter.createJobs({ jobs: [anEntryJob()] });
      const page = { order: "asc" as const, limit: 10, afterOrdinal: null };
      const filter = { typeNames: null, statuses: null, rootSequenceId: null };
      const times = { createdFrom: null, createdTo: null };
      const list = async () => [
        await adapter.listJobs({ ...page, ...filter, ...times, sequenceId: null }),
        await adapter.listSequences({ ...page, ...filter, ...times }),
      ];
      const before = await list();
      expect(before).toMatchObject([[{ id: entry?.job.id }], [{ first: { id: entry?.job.id } }]]);
      await pool.query("ALTER TABLE queuert.job ADD COLUMN progress text DEFAULT 'none'");
      expect(await list()).toEqual(before);
    } finally {
      await pool.end();
    }
  },
);

const routine = (name: string): Routine => ({
  name,
  sql: `CREATE OR REPLACE FUNCTION {schema}.${name}() …`,
});
const names = createStoreNames("s", "uuid");

it("keeps the routines of the version before, and drops those of the one before that", () => {
  const installed = [
    { name: "acquire_jobs", checksum: "a", version: 1 },
    { name: "acquire_jobs_2", checksum: "b", version: 2 },
    { name: "get_jobs", checksum: "c", version: 2 },
  ];
  const next = { routines: [routine("acquire_jobs_3"), routine("get_jobs")], version: 3 };
  const sql = routineSql(names, "pg_catalog, pg_temp", installed, next);
  const dropped = sql.filter((one) => /^DROP|^DELETE/.test(one));
  expect(dropped).toEqual([
    'DROP FUNCTION IF EXISTS "s".acquire_jobs',
    `DELETE FROM "s".routine WHERE name = 'acquire_jobs'`,
  ]);
  expect(sql.filter((one) => one.startsWith("CREATE"))).toHaveLength(2);
});

it("changes nothing in a schema with the routines of a newer version", () => {
  const installed = [{ name: "get_jobs", checksum: "c", version: ownRoutines.version + 1 }];
  expect(routineSql(names, "pg_catalog, pg_temp", installed)).toEqual([]);
});
