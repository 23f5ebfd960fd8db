// The rows that a statement has to lock can grow while it waits for its first locks. Each test holds it there, and lets
// another transaction lock the new row and wait for an old one. If the statement then locks the new row without releasing
// its locks, both are deadlocked.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { aContinuation, aJob, aKey } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;
  let adapter: AnyStateAdapter;

  beforeEach(async () => {
    const database = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 10 });
    const pgAdapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      connectionRetryConfig: { maxRetries: 0 },
    });
    await pgAdapter.migrateToLatest();
    adapter = pgAdapter;
  });
  afterEach(() => pool.end());

  type Overrides = Parameters<typeof aJob>[0];

  /** Ids in the order in which they are locked. */
  const create = async (...overrides: Overrides[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const override of overrides) {
      const [created] = await adapter.createJobs({ jobs: [aJob(override)] });
      ids.push(created?.job.id ?? "");
    }
    expect(ids.toSorted()).toEqual(ids);
    return ids;
  };

  const waits: Overrides = { awaitsBlockers: true, onBlockerFailure: "fail" };

  /** A transaction that has run this statement, until it is told to end. */
  const hold = async (sql: string, ...values: unknown[]): Promise<() => Promise<void>> => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(sql, values);
    return async () => {
      await client.query("COMMIT");
      client.release();
    };
  };

  const holdJob = (id: string) =>
    hold("SELECT FROM queuert.job WHERE id = $1::uuid FOR NO KEY UPDATE", id);

  /** Until so many wait for a lock. */
  const untilWaiting = async (count: number): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      if (rows.length >= count) return;
    }
  };

  const addBlockers = (jobId: string, ...blockerSequenceIds: string[]) =>
    adapter.runInTransaction((context) =>
      adapter.addBlockers({ context, jobs: [{ jobId, blockerSequenceIds }] }),
    );

  const withoutWorker = (ids: readonly string[]) => ({
    workerId: null,
    completions: ids.map((jobId) => ({
      jobId,
      leaseVersion: null,
      outcome: { kind: "output", output: "null" } as const,
    })),
  });

  const cancellation = (ids: readonly string[]) =>
    ({
      sequences: ids.map((id) => ({ id, lease: null })),
      tree: true,
      dependants: "fail",
      reason: null,
    }) as const;

  const complete = (ids: readonly string[]) => adapter.completeJobs(withoutWorker(ids));

  const settlers: Readonly<
    Record<string, { readonly end: (ids: readonly string[]) => Promise<unknown>; awaited?: true }>
  > = {
    "completing jobs that nobody waited for": { end: complete },
    "completing jobs that somebody waits for already": { end: complete, awaited: true },
    "completing sequences that are held still": {
      end: (ids) =>
        adapter.runInTransaction(async (context) => {
          await adapter.lockSequences({ context, ids });
          await adapter.completeJobs({ context, ...withoutWorker(ids) });
        }),
    },
    "cancelling sequences": { end: (ids) => adapter.cancelSequences(cancellation(ids)) },
    "cancelling sequences in a transaction": {
      end: (ids) =>
        adapter.runInTransaction((context) =>
          adapter.cancelSequences({ context, ...cancellation(ids) }),
        ),
    },
    "failing jobs": {
      end: (ids) =>
        adapter.failJobs({ jobs: ids.map((jobId) => ({ jobId, leaseVersion: 1, error: "no" })) }),
    },
  };

  it.each(Object.entries(settlers))("%s, one more waits meanwhile", async (how, settler) => {
    let late = "";
    let ids: string[] = [];
    let ending: Promise<unknown> | undefined;
    let letLastGo: (() => Promise<void>) | undefined;
    await adapter.runInTransaction(async (context) => {
      const [created] = await adapter.createJobs({ context, jobs: [aJob(waits)] });
      late = created?.job.id ?? "";
      ids = await create({}, {}, {}, waits, waits);
      const [, ended = "", last = "", , waiting = ""] = ids;
      expect(late < (ids[0] ?? "")).toBe(true);
      if (settler.awaited) await addBlockers(waiting, ended);
      const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];
      await adapter.acquireJobs({ workerId: "w", limit: 10, types });
      letLastGo = await holdJob(last);
      await adapter.addBlockers({ context, jobs: [{ jobId: late, blockerSequenceIds: [ended] }] });
      ending = settler.end(ids.slice(0, 3));
      await untilWaiting(1);
    });
    // It holds the first, and waits for the last; the other holds the one that came late, and waits for the first.
    const [first = "", , , other = ""] = ids;
    const adding = addBlockers(other, late, first);
    await untilWaiting(2);
    await letLastGo?.();
    await Promise.all([ending, adding]);
    const [job] = await adapter.getJobs({ ids: [late] });
    expect(job?.status).toBe(how.startsWith("completing") ? "pending" : "failed");
  });

  // Completes with `complete_job` if there is one job, and with `complete_jobs` if there are several.
  const completions: Readonly<Record<string, (id: string, other: string) => Promise<unknown>>> = {
    "one job": (id) => complete([id]),
    "one job in a transaction": (id) =>
      adapter.runInTransaction((context) =>
        adapter.completeJobs({ context, ...withoutWorker([id]) }),
      ),
    "several jobs": (id, other) => complete([id, other]),
  };

  it.each(Object.entries(completions))(
    "completing %s, a dependant of a lower id is added meanwhile",
    async (_how, run) => {
      const [late = "", ended = "", other = ""] = await create(waits, {}, {});
      await pool.query("UPDATE queuert.job SET incomplete_blockers = 1 WHERE id = $1", [late]);
      const letEndedGo = await hold(
        `WITH edge AS (
          INSERT INTO queuert.job_blocker (job_id, blocker_sequence_id, index) VALUES ($1, $2, 0))
        UPDATE queuert.job SET dependants = dependants + 1 WHERE id = $2`,
        late,
        ended,
      );
      const ending = run(ended, other);
      await untilWaiting(1);
      const locker = await pool.connect();
      await locker.query("BEGIN");
      await locker.query("SELECT FROM queuert.job WHERE id = $1 FOR UPDATE", [late]);
      const locking = locker.query("SELECT FROM queuert.job WHERE id = $1 FOR UPDATE", [ended]);
      await untilWaiting(2);
      await letEndedGo();
      await locking;
      await locker.query("COMMIT");
      locker.release();
      await ending;
      expect((await adapter.getJobs({ ids: [late] }))[0]?.status).toBe("pending");
    },
  );

  it.each(Object.entries(completions))(
    "completing %s at the end of a sequence whose first job is locked",
    async (_how, run) => {
      const [first = "", other = ""] = await create({}, {});
      const [job] = await adapter.getJobs({ ids: [first] });
      if (job === undefined) throw new Error("The job was created");
      const outcome = { kind: "continuation", job: aContinuation(job) } as const;
      const { results } = await adapter.completeJobs({
        workerId: null,
        completions: [{ jobId: first, leaseVersion: null, outcome }],
      });
      const [result] = results;
      const last = result?.kind === "completed" ? (result.continuation?.id ?? "") : "";
      const locker = await pool.connect();
      await locker.query("BEGIN");
      await locker.query("SELECT FROM queuert.job WHERE id = $1 FOR UPDATE", [first]);
      const ending = run(last, other);
      await untilWaiting(1);
      // Waits for no lock of the completion.
      await locker.query("SELECT FROM queuert.job WHERE id = $1 FOR UPDATE NOWAIT", [last]);
      await locker.query("COMMIT");
      locker.release();
      await ending;
      const [sequence] = await adapter.getSequences({ ids: [first] });
      expect(sequence?.current).toMatchObject({ id: last, status: "completed" });
      const { rows } = await pool.query("SELECT sequence_outcome FROM queuert.job WHERE id = $1", [
        first,
      ]);
      expect(rows).toEqual([{ sequence_outcome: "completed" }]);
    },
  );

  it("holding a sequence still gives way to a transaction that has its ready row", async () => {
    const [id = ""] = await create({});
    // The server finds the deadlock in the transaction that holds the sequence still.
    const options = "-c deadlock_timeout=3s";
    const own = new pg.Pool({ connectionString: pool.options.connectionString, max: 2, options });
    try {
      const stateProvider = createPgPoolStateProvider(own);
      const connectionRetryConfig = { maxRetries: 0 };
      const holder = await createPgStateAdapter({ stateProvider, connectionRetryConfig });
      const locker = await pool.connect();
      await locker.query("BEGIN");
      await locker.query("SET LOCAL deadlock_timeout = '60s'");
      await locker.query("SELECT FROM queuert.ready FOR UPDATE");
      const holding = holder.runInTransaction((context) =>
        holder.lockSequences({ context, ids: [id] }),
      );
      await untilWaiting(1);
      const locking = locker.query("SELECT FROM queuert.job FOR NO KEY UPDATE");
      await untilWaiting(2);
      await locking;
      await locker.query("COMMIT");
      locker.release();
      expect((await holding).map((sequence) => sequence?.first.id)).toEqual([id]);
    } finally {
      await own.end();
    }
  });

  it("adding a failed blocker, another transaction waits for the job that fails", async () => {
    const [waiting = "", failing = "", failed = "", other = ""] = await create(
      ...[waits, waits, { typeName: "failed" }, waits],
    );
    await addBlockers(waiting, failing);
    const types = [{ typeName: "failed", leaseMs: 60_000, limit: 10 }];
    await adapter.acquireJobs({ workerId: "w", limit: 10, types });
    await adapter.failJobs({ jobs: [{ jobId: failed, leaseVersion: 1, error: "no" }] });

    const letFailedGo = await holdJob(failed);
    const adding = addBlockers(failing, failed);
    await untilWaiting(1);
    const addingOther = addBlockers(other, waiting, failing);
    await untilWaiting(2);
    await letFailedGo();
    await Promise.all([adding, addingOther]);
    const jobs = await adapter.getJobs({ ids: [waiting, failing, other] });
    expect(jobs.map((job) => job?.status)).toEqual(["failed", "failed", "failed"]);
  });

  it("retention waits for no transaction", async () => {
    const [root = "", ...rest] = await create({}, {}, waits, waits);
    const [lastRoot = "", one = "", two = ""] = rest;
    const [child = ""] = await create({ rootSequenceId: root });
    await complete([root, child, lastRoot]);
    await adapter.runInTransaction(async (context) => {
      const add = (jobId: string, id: string) =>
        adapter.addBlockers({ context, jobs: [{ jobId, blockerSequenceIds: [id] }] });
      await add(one, child);
      const deleting = adapter.deleteFinishedSequences({
        completedForMs: 0,
        failedForMs: 0,
        cancelledForMs: 0,
        limit: 10,
      });
      await Promise.race([deleting, untilWaiting(1)]);
      const [added] = await add(two, lastRoot);
      expect(await deleting).toEqual(1);
      expect(added?.missing).toEqual([lastRoot]);
    });
  });

  it("both ends of several edges are deleted at once", async () => {
    const [job1 = "", job2 = "", blocker1 = "", blocker2 = ""] = await create(waits, waits, {}, {});
    await addBlockers(job1, blocker2);
    await addBlockers(job2, blocker1);
    await complete([blocker1, blocker2, job1, job2]);
    const remove = (...rootSequenceIds: string[]) =>
      adapter.runInTransaction((context) => adapter.deleteSequences({ context, rootSequenceIds }));
    const letEdgeGo = await hold(
      "SELECT FROM queuert.job_blocker WHERE job_id = $1::uuid FOR UPDATE",
      job2,
    );
    const deleting = [remove(blocker1, blocker2)];
    await untilWaiting(1);
    deleting.push(remove(job1, job2));
    await untilWaiting(2);
    await letEdgeGo();
    const deleted = await Promise.all(deleting);
    expect(deleted.map(({ kind }) => kind)).toEqual(["deleted", "deleted"]);
  });

  it("a start by key finds another sequence that stands for it, since the first was deleted", async () => {
    const all = (key: string) => ({ deduplication: aKey(key, { strategy: "all" as const }) });
    const [older = ""] = await create({ deduplication: aKey("a") });
    await complete([older]);
    const [newer = "", between = "", last = ""] = await create(
      ...[{ deduplication: aKey("a") }, {}, all("b")],
    );
    await complete([newer]);
    const remove = (...rootSequenceIds: string[]) =>
      adapter.runInTransaction((context) => adapter.deleteSequences({ context, rootSequenceIds }));
    const letBetweenGo = await holdJob(between);
    let starting: ReturnType<AnyStateAdapter["createJobs"]> | undefined;
    let removing: Promise<unknown> | undefined;
    await adapter.runInTransaction(async (context) => {
      await adapter.deleteSequences({ context, rootSequenceIds: [newer] });
      starting = adapter.createJobs({ jobs: [aJob(all("a")), aJob(all("b"))] });
      await untilWaiting(1);
      removing = remove(older, between, last);
      await untilWaiting(2);
    });
    // It has the last, and waits for the older.
    await untilWaiting(2);
    await letBetweenGo();
    expect(await removing).toMatchObject({ kind: "deleted" });
    expect((await starting)?.map(({ deduplicated }) => deduplicated)).toEqual([false, false]);
  });
});
