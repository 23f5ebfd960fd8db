// A start with a key whose sequence is being deleted: it waits for the deletion, and then there is none to stand for it.
import pg from "pg";
import { aJob, aKey } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;

  beforeEach(async () => {
    const database = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 5 });
  });
  afterEach(() => pool.end());

  /** Until a statement waits for a lock. */
  const untilBlocked = async (): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      if (rows.length > 0) return;
    }
  };

  it.each(["commit", "rollback"])("the deletion ends with a %s", async (how) => {
    const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
    await adapter.migrateToLatest();
    const start = () => adapter.createJobs({ jobs: [aJob({ deduplication: aKey("k") })] });
    const [old] = await start();
    const rootSequenceIds = [old?.job.id ?? ""];
    let meanwhile: ReturnType<typeof start> | undefined;
    const deleting = adapter.runInTransaction(async (context) => {
      await adapter.deleteSequences({ context, rootSequenceIds });
      meanwhile = start();
      await untilBlocked();
      if (how === "rollback") throw new Error("rolled back on purpose");
    });
    if (how === "rollback") await expect(deleting).rejects.toThrow("on purpose");
    else await deleting;
    const [created] = (await meanwhile) ?? [];
    expect(created?.deduplicated).toBe(how === "rollback");
    expect(created?.job.id === old?.job.id).toBe(how === "rollback");
  });

  it("a sequence that stands for a key cannot be deleted before the start has ended", async () => {
    const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
    await adapter.migrateToLatest();
    const jobs = [aJob({ deduplication: aKey("k") })];
    const [old] = await adapter.createJobs({ jobs });
    const rootSequenceIds = [old?.job.id ?? ""];
    let deleting: Promise<unknown> | undefined;
    await adapter.runInTransaction(async (context) => {
      const [again] = await adapter.createJobs({ context, jobs: [...jobs] });
      expect(again?.deduplicated).toBe(true);
      deleting = adapter.runInTransaction((other) =>
        adapter.deleteSequences({ context: other, rootSequenceIds }),
      );
      await untilBlocked();
      expect(await adapter.getJobs({ context, ids: rootSequenceIds })).toEqual([old?.job]);
    });
    expect(await deleting).toMatchObject({ kind: "deleted" });
  });

  it("the same call, repeated after a lost answer, finds its stored result", async () => {
    const stateProvider = createPgPoolStateProvider(pool);
    let answersLost = 0;
    const adapter = await createPgStateAdapter({
      stateProvider: {
        ...stateProvider,
        executeSql: async (statement, context) => {
          const rows = await stateProvider.executeSql(statement, context);
          if (statement.name !== "queuert_create_jobs" || answersLost > 0) return rows;
          answersLost += 1;
          throw Object.assign(new Error("lost"), { code: "ECONNRESET" });
        },
      },
    });
    await adapter.migrateToLatest();
    // One of them is deduplicated to the other: not every id is found, so the call itself runs again.
    const deduplication = aKey("k");
    const created = await adapter.createJobs({
      jobs: [aJob({ deduplication }), aJob({ deduplication })],
    });
    expect(answersLost).toBe(1);
    expect(new Set(created.map(({ job }) => job.id)).size).toBe(1);
    expect(await adapter.getJobs({ ids: [created[0]?.job.id ?? ""] })).toEqual([created[0]?.job]);
  });
});
