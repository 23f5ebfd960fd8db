import { describe, expect, it } from "vitest";
import { JobAlreadyCompletedError, StateNotInTransactionError } from "../../src/errors.ts";
import { createInProcessStateAdapter } from "../../src/in-process/create-in-process-state-adapter.ts";
import type { InProcessContext } from "../../src/in-process/database.ts";
import { aContinuation, aJob, jobs } from "../../src/testing/factories.ts";
import { createStateSteps, only } from "../../src/testing/steps.ts";
import { aStore, type TestStore } from "./a-store.ts";

const rolledBack = new Error("rolled back on purpose");

/** A transaction that stays open until it is told to end. */
const openTransaction = async ({
  state,
}: TestStore): Promise<{ context: InProcessContext; end: () => void; done: Promise<void> }> => {
  let end = (): void => undefined;
  let done: Promise<void> = Promise.resolve();
  const context = await new Promise<InProcessContext>((opened) => {
    done = state.runInTransaction(
      (context) =>
        new Promise<void>((resolve) => {
          end = resolve;
          opened(context);
        }),
    );
  });
  return { context, end, done };
};

const takeA = {
  workerId: "worker",
  limit: 10,
  types: [{ typeName: "task", leaseMs: 1_000, limit: 10 }],
};

describe("transactions", () => {
  it("are told apart by their context, and have an end", async () => {
    const { state } = aStore();
    const ended = await state.runInTransaction(async (context) => {
      expect(await state.isInTransaction(context)).toBe(true);
      expect(await state.isInTransaction({ ...context })).toBe(true);
      expect(await state.isInTransaction({})).toBe(false);
      return context;
    });
    expect(await state.isInTransaction(ended)).toBe(false);
    await state.provideContext(async (context) => {
      expect(await state.isInTransaction(context)).toBe(false);
    });
  });

  it("refuse every statement after their end, also while another is open", async () => {
    const store = aStore();
    const { state } = store;
    const ended = await state.runInTransaction(async (context) => context);
    const next = await openTransaction(store);
    const statements: readonly (() => Promise<unknown>)[] = [
      () => state.createJobs({ context: ended, jobs: [aJob()] }),
      () => state.getJobs({ context: ended, ids: ["job-1"] }),
      () => state.lockSequences({ context: ended, ids: ["job-1"] }),
      () => state.deleteSequences({ context: ended, rootSequenceIds: ["job-1"] }),
      () => state.summarize({ context: ended, runningLongMs: 0 }),
      () =>
        state.completeJobs({
          context: ended,
          workerId: null,
          completions: [
            { jobId: "job-1", leaseVersion: null, outcome: { kind: "output", output: "1" } },
          ],
        }),
    ];
    for (const statement of statements) {
      await expect(statement()).rejects.toThrow(StateNotInTransactionError);
    }
    next.end();
    await next.done;
  });

  it("of another store are refused", async () => {
    const foreign = await openTransaction(aStore());
    const { state } = aStore();
    const { context } = foreign;
    expect(await state.isInTransaction(context)).toBe(false);
    await expect(state.createJobs({ context, jobs: [aJob()] })).rejects.toThrow(
      StateNotInTransactionError,
    );
    foreign.end();
    await foreign.done;
  });

  it("are required where the contract says so", async () => {
    const { state } = aStore();
    await expect(state.lockSequences({ context: {}, ids: ["x"] })).rejects.toThrow(
      StateNotInTransactionError,
    );
    await expect(
      state.addBlockers({ context: {}, jobs: [{ jobId: "x", blockerSequenceIds: [] }] }),
    ).rejects.toThrow(StateNotInTransactionError);
    await expect(state.deleteSequences({ context: {}, rootSequenceIds: ["x"] })).rejects.toThrow(
      StateNotInTransactionError,
    );
  });

  it("are open one at a time, in the order in which they were asked for", async () => {
    const { state } = aStore();
    const order: string[] = [];
    const run = (name: string): Promise<void> =>
      state.runInTransaction(async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      });
    await Promise.all([run("first"), run("second"), run("third")]);
    expect(order).toEqual(
      ["first", "second", "third"].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it("make writes outside wait, which then never are part of them", async () => {
    const store = aStore();
    const { state } = store;
    await state.createJobs({ jobs: jobs(2) });
    const settled: string[] = [];
    const transaction = state.runInTransaction(async (context) => {
      await state.createJobs({ context, jobs: [aJob()] });
      // A call that did not wait would be done after a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      expect(settled).toEqual([]);
      throw rolledBack;
    });
    const acquired = state.acquireJobs(takeA).finally(() => settled.push("acquired"));
    const created = state.createJobs({ jobs: [aJob()] }).finally(() => settled.push("created"));
    await expect(transaction).rejects.toBe(rolledBack);
    expect((await acquired).jobs).toHaveLength(2);
    await created;
    expect(settled).toEqual(["acquired", "created"]);
    expect((await state.acquireJobs(takeA)).jobs).toHaveLength(1);
  });

  it("do not make reads wait", async () => {
    const store = aStore();
    const { state } = store;
    const [existing] = await state.createJobs({ jobs: [aJob()] });
    const open = await openTransaction(store);
    await state.createJobs({ context: open.context, jobs: jobs(3) });
    await state.deleteSequences({
      context: open.context,
      rootSequenceIds: [existing?.job.id ?? ""],
    });
    const listed = await state.listJobs({
      typeNames: null,
      statuses: null,
      sequenceId: null,
      rootSequenceId: null,
      createdFrom: null,
      createdTo: null,
      order: "asc",
      limit: 10,
      afterOrdinal: null,
    });
    expect(listed.map(({ id }) => id)).toEqual([existing?.job.id]);
    expect((await state.summarize({ runningLongMs: 1 })).counts).toEqual([
      { typeName: "task", status: "pending", count: 1 },
    ]);
    open.end();
    await open.done;
    expect((await state.summarize({ runningLongMs: 1 })).counts).toEqual([
      { typeName: "task", status: "pending", count: 3 },
    ]);
  });

  it("that throw at once release the store", async () => {
    const { state } = aStore();
    await expect(
      state.runInTransaction(() => {
        throw rolledBack;
      }),
    ).rejects.toBe(rolledBack);
    await state.createJobs({ jobs: [aJob()] });
    expect((await state.acquireJobs(takeA)).jobs).toHaveLength(1);
  });

  it("answer empty arrays without waiting for the writer", async () => {
    const store = aStore();
    const { state } = store;
    const open = await openTransaction(store);
    expect(await state.createJobs({ jobs: [] })).toEqual([]);
    expect(await state.renewLeases({ leases: [] })).toEqual([]);
    expect(await state.acquireJobs({ workerId: "worker", limit: 1, types: [] })).toEqual({
      jobs: [],
      nextDueInMs: null,
    });
    expect(await state.completeJobs({ workerId: null, completions: [] })).toEqual({
      results: [],
      unblocked: [],
    });
    open.end();
    await open.done;
  });
});

describe("a statement that fails", () => {
  it("leaves nothing of itself, and the transaction goes on", async () => {
    // The third job of the second statement gets the id of the first job of all.
    const ids = ["job-1", "job-2", "job-3", "job-4", "job-1", "job-6"];
    const state = createInProcessStateAdapter({ idGenerator: () => ids.shift() ?? "" });
    await state.createJobs({ jobs: [aJob()] });
    await state.runInTransaction(async (context) => {
      await state.createJobs({ context, jobs: [aJob()] });
      const failing = state.createJobs({ context, jobs: [aJob(), aJob(), aJob()] });
      await expect(failing).rejects.toThrow("job-1, the id of another job");
      expect(await state.getJobs({ context, ids: ["job-3", "job-4"] })).toEqual([
        undefined,
        undefined,
      ]);
      await state.createJobs({ context, jobs: [aJob()] });
    });
    const { jobs: acquired } = await state.acquireJobs(takeA);
    expect(acquired.map(({ job }) => job.id)).toEqual(["job-1", "job-2", "job-6"]);
  });

  it("outside a transaction leaves nothing either, and no key taken", async () => {
    const { state, ids } = aStore();
    await state.createJobs({ jobs: [aJob({ typeName: "other" })] });
    ids.last = -1;
    const deduplication = { key: "k", strategy: "all", windowMs: null } as const;
    await expect(state.createJobs({ jobs: [aJob({ deduplication }), aJob()] })).rejects.toThrow(
      "idGenerator",
    );
    ids.last = 10;
    const [created] = await state.createJobs({ jobs: [aJob({ deduplication })] });
    expect(created).toMatchObject({ deduplicated: false, job: { id: "job-11" } });
    expect((await state.acquireJobs(takeA)).jobs).toHaveLength(1);
  });

  it("continues a sequence at one place only", async () => {
    const { state } = aStore();
    const [created] = await state.createJobs({ jobs: [aJob()] });
    if (created === undefined) throw new Error("no job was created");
    await state.createJobs({ jobs: [aContinuation(created.job)] });
    await expect(state.createJobs({ jobs: [aContinuation(created.job)] })).rejects.toThrow(
      JobAlreadyCompletedError,
    );
    const [sequence] = await state.getSequences({ ids: [created.job.id] });
    expect(sequence?.current.position).toBe(1);
  });
});

describe("the objects that the store returns", () => {
  it("belong to the receiver", async () => {
    const store = aStore();
    const steps = createStateSteps(store.state);
    const job = await steps.createOne();
    const stored = structuredClone(job);
    job.createdAt.setTime(0);
    Object.assign(job, { status: "failed", typeName: "changed" });
    expect(await steps.get(stored)).toEqual(stored);
  });

  it("releases a job once when an earlier job of the sequence is completed after its last", async () => {
    const store = aStore();
    const { state } = store;
    const steps = createStateSteps(state);
    const [first, other] = await steps.create({}, {});
    if (first === undefined || other === undefined) throw new Error("two jobs were to be created");
    const waiting = await steps.createBlocked([first, other], { typeName: "waiting" });
    const next = only(await state.createJobs({ jobs: [aContinuation(first)] })).job;
    const output = { kind: "output", output: "1" } as const;
    const continuedTo = { kind: "continuedTo", jobId: next.id } as const;
    const { unblocked } = await state.completeJobs({
      workerId: null,
      completions: [
        { jobId: next.id, leaseVersion: null, outcome: output },
        { jobId: first.id, leaseVersion: null, outcome: continuedTo },
      ],
    });
    expect(unblocked).toEqual([]);
    expect((await steps.get(waiting)).status).toBe("blocked");
    await steps.completeWithoutWorker(other);
    expect((await steps.get(waiting)).status).toBe("pending");
  });
});
