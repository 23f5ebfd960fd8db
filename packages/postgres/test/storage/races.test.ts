// Two statements on one job. The first has written and not committed, then the second begins: it waits for the first, or passes
// the job by. Each pair in both orders.
import { aContinuation } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { routines } from "../../src/routines/index.ts";
import { fillRoutine } from "../../src/routines/routine.ts";
import { createStoreNames } from "../../src/store-names.ts";
import { servers } from "../fixtures.ts";
import {
  acquire,
  complete,
  fail,
  look,
  openStore,
  reclaim,
  remove,
  renew,
  reschedule,
  start,
  type HeldTransaction,
  type Store,
} from "./open-store.ts";

const lost = { kind: "lost", reason: "taken_by_another_worker" };
const finished = { kind: "lost", reason: "already_completed" };

describe.each(servers)("%s", (_server, databases) => {
  let store: Store;
  let first: HeldTransaction;

  beforeEach(async () => {
    const database = await databases().createDatabase();
    store = await openStore(database.url);
    first = await store.hold();
  });
  afterEach(async () => {
    expect(await store.strays()).toEqual([]);
    await store.close();
  });

  /** A running job whose lease has expired. */
  const startLost = async (): Promise<string> => {
    const { id } = await start(store.adapter);
    expect(await acquire(store.adapter, 0, "dead")).toEqual([id]);
    return id;
  };

  /** Begins it while the first transaction is open, which then ends. */
  const behindFirst = async <T>(
    second: () => Promise<T>,
    how: "COMMIT" | "ROLLBACK" = "COMMIT",
  ) => {
    const running = second();
    await store.untilWaiting(1);
    await first.end(how);
    return running;
  };

  /** It neither waits for the first transaction nor finds the job. */
  const passesBy = async (second: () => Promise<readonly string[]>): Promise<void> => {
    expect(await second()).toEqual([]);
    await first.end("COMMIT");
  };

  type Settle = (jobId: string) => Promise<unknown>;
  const settlers: Readonly<Record<string, Settle>> = {
    completing: (id) => complete(store.adapter, id),
    rescheduling: (id) => reschedule(store.adapter, id),
    failing: (id) => fail(store.adapter, id),
  };

  it.each(Object.entries(settlers))("reclaim ∥ %s: the attempt is lost", async (_name, settle) => {
    const id = await startLost();
    expect(await reclaim(first.adapter)).toEqual([id]);
    expect(await behindFirst(() => settle(id))).toMatchObject(lost);
    expect(await look(store.adapter, id)).toMatchObject({
      status: "pending",
      attempt: 1,
      leaseVersion: 1,
    });
    expect(await acquire(store.adapter)).toEqual([id]);
  });

  const heldSettlers: Readonly<Record<string, Settle>> = {
    completing: (id) => complete(first.adapter, id),
    rescheduling: (id) => reschedule(first.adapter, id),
    failing: (id) => fail(first.adapter, id),
  };

  it.each(Object.entries(heldSettlers))("%s ∥ reclaim, take over", async (_name, settle) => {
    const id = await startLost();
    await settle(id);
    expect(await acquire(store.adapter)).toEqual([]);
    await passesBy(() => reclaim(store.adapter));
    expect(await reclaim(store.adapter)).toEqual([]);
    expect(await store.query("SELECT FROM queuert.lease")).toEqual([]);
    expect(await look(store.adapter, id)).toMatchObject({ attempt: 1, leaseVersion: 1 });
  });

  it("take over ∥ completing, renewing: the old lease is lost", async () => {
    const id = await startLost();
    expect(await acquire(first.adapter, 60_000, "alive")).toEqual([id]);
    expect(await renew(store.adapter, id)).toEqual([{ kind: "held" }]);
    expect(await behindFirst(() => complete(store.adapter, id))).toMatchObject(lost);
    expect(await renew(store.adapter, id)).toEqual([lost]);
    expect(await look(store.adapter, id)).toMatchObject({
      leasedBy: "alive",
      attempt: 2,
      leaseVersion: 2,
    });
  });

  it("renewing ∥ reclaim, take over: the lease is kept", async () => {
    const id = await startLost();
    expect(await renew(first.adapter, id)).toEqual([{ kind: "held" }]);
    expect(await acquire(store.adapter)).toEqual([]);
    await passesBy(() => reclaim(store.adapter));
    expect(await reclaim(store.adapter)).toEqual([]);
    expect(await look(store.adapter, id)).toMatchObject({ status: "running", leasedBy: "dead" });
  });

  it("reclaim ∥ renewing: it does not wait, and the next renewal finds the loss", async () => {
    const id = await startLost();
    expect(await reclaim(first.adapter)).toEqual([id]);
    expect(await renew(store.adapter, id)).toEqual([{ kind: "held" }]);
    await first.end("COMMIT");
    expect(await renew(store.adapter, id)).toEqual([lost]);
    expect(await look(store.adapter, id)).toMatchObject({ status: "pending" });
  });

  it("trigger ∥ acquire", async () => {
    const { id } = await start(store.adapter);
    expect(await first.adapter.triggerJobs({ ids: [id] })).toMatchObject([{ kind: "triggered" }]);
    await passesBy(() => acquire(store.adapter));
    expect(await acquire(store.adapter)).toEqual([id]);
  });

  it.each(["COMMIT", "ROLLBACK"] as const)("acquire ∥ trigger, %s", async (how) => {
    const { id } = await start(store.adapter);
    expect(await acquire(first.adapter)).toEqual([id]);
    const triggered = await behindFirst(() => store.adapter.triggerJobs({ ids: [id] }), how);
    expect(triggered).toMatchObject([
      how === "COMMIT" ? { kind: "refused", reason: "not_pending" } : { kind: "triggered" },
    ]);
    expect(await acquire(store.adapter)).toEqual(how === "COMMIT" ? [] : [id]);
  });

  it("deletion ∥ acquire", async () => {
    const { id } = await start(store.adapter);
    expect(await remove(first.adapter, {}, id)).toMatchObject({ kind: "deleted", running: [] });
    await passesBy(() => acquire(store.adapter));
    expect(await acquire(store.adapter)).toEqual([]);
  });

  it("acquire ∥ deletion: the job is deleted as a running one", async () => {
    const { id } = await start(store.adapter);
    expect(await acquire(first.adapter)).toEqual([id]);
    const deleted = await behindFirst(() =>
      store.adapter.runInTransaction((context) => remove(store.adapter, context, id)),
    );
    expect(deleted).toMatchObject({ kind: "deleted", running: [{ id }] });
    expect(await complete(store.adapter, id)).toMatchObject({ kind: "lost", reason: "not_found" });
  });

  it("external completion ∥ acquire", async () => {
    const { id } = await start(store.adapter);
    expect(await complete(first.adapter, id, null)).toMatchObject({ kind: "completed" });
    await passesBy(() => acquire(store.adapter));
    expect(await look(store.adapter, id)).toMatchObject({ attempt: 0, leaseVersion: 0 });
  });

  it("acquire ∥ external completion: the attempt is counted, and lost", async () => {
    const { id } = await start(store.adapter);
    expect(await acquire(first.adapter)).toEqual([id]);
    const completed = await behindFirst(() => complete(store.adapter, id, null));
    expect(completed).toMatchObject({ kind: "completed" });
    expect(await complete(store.adapter, id)).toMatchObject(finished);
    const job = await look(store.adapter, id);
    expect(job).toMatchObject({ status: "completed", attempt: 1, leaseVersion: 1 });
    expect(job?.lastAttemptAt).not.toBeNull();
  });

  it("retry ∥ acquire, retry: one ready row", async () => {
    const { id } = await start(store.adapter);
    await acquire(store.adapter);
    await fail(store.adapter, id);
    expect(await first.adapter.retryFailedJobs({ ids: [id] })).toMatchObject([{ kind: "retried" }]);
    expect(await acquire(store.adapter)).toEqual([]);
    const again = await behindFirst(() => store.adapter.retryFailedJobs({ ids: [id] }));
    expect(again).toMatchObject([{ kind: "refused", reason: "not_failed" }]);
    expect(await acquire(store.adapter)).toEqual([id]);
  });

  it("lockSequences ∥ acquire, and the other way round", async () => {
    const { id } = await start(store.adapter);
    await first.adapter.lockSequences({ context: {}, ids: [id] });
    await passesBy(() => acquire(store.adapter));
    first = await store.hold();
    expect(await acquire(first.adapter)).toEqual([id]);
    const [locked] = await behindFirst(() =>
      store.adapter.runInTransaction((context) =>
        store.adapter.lockSequences({ context, ids: [id] }),
      ),
    );
    expect(locked?.current).toMatchObject({ status: "running", leasedBy: "w" });
  });

  it("continuing ∥ cancelling: a commit between two reads does not look like an end", async () => {
    const job = await start(store.adapter);
    await acquire(store.adapter);
    const outcome = {
      kind: "continuation",
      job: aContinuation(job, { typeName: "task" }),
    } as const;
    const completions = [{ jobId: job.id, leaseVersion: 1, outcome }];
    await first.adapter.completeJobs({ workerId: "w", completions });
    // The cancellation has read the jobs of the tree, and waits here before it reads their leases.
    await first.query("LOCK TABLE queuert.lease");
    const sequences = [{ id: job.id, lease: null }];
    const rest = { tree: true, dependants: "refuse", reason: null } as const;
    const cancelled = await behindFirst(() =>
      store.adapter.cancelSequences({ sequences, ...rest }),
    );
    expect(cancelled).toMatchObject({ kind: "cancelled", results: [{ kind: "cancelled" }] });
    const [sequence] = await store.adapter.getSequences({ ids: [job.id] });
    expect(sequence?.current).toMatchObject({ status: "cancelled", position: 1 });
  });

  it("acquire ∥ acquire: each job once", async () => {
    const jobs = [await start(store.adapter), await start(store.adapter)];
    expect(await acquire(first.adapter)).toEqual(jobs.map(({ id }) => id));
    await passesBy(() => acquire(store.adapter));
  });

  // Routines with a mistake: what the races above would find.
  const install = async (name: string, before: string, after: string): Promise<void> => {
    const routine = routines.find((one) => one.name === name);
    if (!routine?.sql.includes(before)) throw new Error(`${name} has no "${before}"`);
    const sql = routine.sql.replaceAll(before, after);
    const names = createStoreNames("queuert", "uuid");
    await store.query(fillRoutine({ name, sql }, names, "pg_catalog, pg_temp"));
  };

  it("a completion that does not compare the lease version completes for a lost worker", async () => {
    await install("complete_job", "AND j.lease_version = p_lease_version - 1", "");
    const id = await startLost();
    await reclaim(first.adapter);
    expect(await behindFirst(() => complete(store.adapter, id))).toMatchObject({
      kind: "completed",
    });
    expect(await store.strays()).toHaveLength(1);
    await store.query("TRUNCATE queuert.ready");
  });

  it("a reclaim that does not raise the lease version gives it out twice", async () => {
    await install("end_expired_attempts", "lease_version = j.lease_version + 1,", "");
    const id = await startLost();
    await reclaim(first.adapter);
    await first.end("COMMIT");
    expect(await store.strays()).toMatchObject([{ ready_count: 1, lease_count: 1 }]);
    await store.query("TRUNCATE queuert.lease");
    await acquire(store.adapter, 60_000, "alive");
    expect(await renew(store.adapter, id)).toEqual([{ kind: "held" }]);
  });
});
