// During a deployment the next release migrates, and processes of this release start anew on its tables. They run every kind of
// job there, beside a process whose adapter was open before the migration.
import {
  blockersTestSuite,
  deduplicationTestSuite,
  deletionTestSuite,
  extendWithCommon,
  extendWithNotifyNoop,
  processTestSuite,
  retryTestSuite,
  sequencesTestSuite,
} from "queuert/testing";
import { describe, expect, it as vitestIt } from "vitest";
import {
  checkSqliteSchema,
  createSqliteStateAdapter,
  migrateSqliteSchema,
  SqliteSchemaTooNewError,
} from "../../src/index.ts";
import { knownVersion, usableFrom } from "../../src/migrations/index.ts";
import { extendWithStateSqlite, type OpenProvider } from "../../src/testing.ts";
import { openBetterSqlite3 } from "../drivers.ts";
import { openProvider, temporaryFile } from "../open-store.ts";

/** A migration as a release may have it: it only adds. */
const nextMigration = (oldest: number | null): string => `
ALTER TABLE queuert_job ADD COLUMN progress TEXT NOT NULL DEFAULT 'none';
CREATE INDEX queuert_job_next ON queuert_job (progress) WHERE progress <> 'none';
CREATE TABLE queuert_step (job_id TEXT PRIMARY KEY) STRICT;
INSERT INTO queuert_migration VALUES (${knownVersion + 1}, 'progress', 0, ${oldest})`;

type Provider = Awaited<ReturnType<OpenProvider>>;

const migrateToNext = async (
  stateProvider: Provider,
  oldest: number | null = knownVersion,
): Promise<void> => {
  await migrateSqliteSchema({ stateProvider });
  await stateProvider.runInTransaction(async (context) => {
    const connection = stateProvider.connectionOf(context);
    const last = connection.prepare("SELECT max(version) FROM queuert_migration").get();
    if (last?.[0] === knownVersion) connection.exec(nextMigration(oldest));
  });
};

const openOnNext: OpenProvider = async (filename) => {
  const provider = await openBetterSqlite3(filename);
  await migrateToNext(provider);
  return provider;
};

describe("on tables of the next release", () => {
  const it = extendWithNotifyNoop(extendWithStateSqlite(extendWithCommon(vitestIt), openOnNext));
  for (const suite of [
    sequencesTestSuite,
    blockersTestSuite,
    processTestSuite,
    retryTestSuite,
    deduplicationTestSuite,
    deletionTestSuite,
  ])
    suite({ it });
});

describe("the schema", () => {
  const it = vitestIt;

  it("of the next release has nothing to migrate and to check", async () => {
    const stateProvider = await openProvider(temporaryFile());
    await migrateToNext(stateProvider);
    expect(await migrateSqliteSchema({ stateProvider })).toEqual({ applied: [], sql: "" });
    await checkSqliteSchema({ stateProvider });
    await createSqliteStateAdapter({ stateProvider, migrate: false });
  });

  it.each([knownVersion + 1, null])("of a release after that is refused: %s", async (oldest) => {
    const stateProvider = await openProvider(temporaryFile());
    await migrateToNext(stateProvider, oldest);
    await expect(createSqliteStateAdapter({ stateProvider })).rejects.toThrow(
      SqliteSchemaTooNewError,
    );
  });

  it("serves the adapter that was open when it was migrated", async () => {
    const filename = temporaryFile();
    const [before, next] = [await openProvider(filename), await openProvider(filename)];
    const adapter = await createSqliteStateAdapter({ stateProvider: before });
    await migrateToNext(next);
    expect(await adapter.acquireJobs({ workerId: "w", limit: 1, types: [] })).toMatchObject({
      jobs: [],
    });
    const again = await createSqliteStateAdapter({ stateProvider: next });
    expect(await again.getStoreId()).toBe(await adapter.getStoreId());
  });

  it("names the releases that may use it, also in a table that had no such column", async () => {
    const stateProvider = await openProvider(temporaryFile());
    // As an earlier build of this release made it.
    await stateProvider.runInTransaction(async (context) =>
      stateProvider.connectionOf(context).exec(`CREATE TABLE queuert_migration (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
) STRICT`),
    );
    expect((await migrateSqliteSchema({ stateProvider })).applied).toHaveLength(knownVersion);
    const recordedIn = (provider: Provider) =>
      provider.provideContext(async (context) =>
        provider
          .connectionOf(context)
          .prepare("SELECT DISTINCT usable_from FROM queuert_migration")
          .all(),
      );
    expect(await recordedIn(stateProvider)).toEqual([[usableFrom]]);
    const fresh = await openProvider(temporaryFile());
    await migrateSqliteSchema({ stateProvider: fresh });
    expect(await recordedIn(fresh)).toEqual([[usableFrom]]);
  });
});
