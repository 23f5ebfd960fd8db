import { describe, expect, it } from "vitest";
import { aJob, jobs } from "../../src/testing/factories.ts";
import { createStateSteps } from "../../src/testing/steps.ts";
import { aStore } from "./a-store.ts";

const second = 1_000;

describe("deleting finished sequences", () => {
  it("takes the longest finished first, and steps over trees that a job still waits for", async () => {
    const { state, clock } = aStore();
    const steps = createStateSteps(state);
    const [needed, late, early] = await steps.create({}, {}, {});
    if (needed === undefined || late === undefined || early === undefined) throw new Error("jobs");
    await steps.createBlocked([needed, (await steps.createOne()).id], { typeName: "waiting" });
    for (const job of [needed, early, late]) {
      await steps.completeWithoutWorker(job);
      clock.ms += second;
    }
    const ages = { completedForMs: second, failedForMs: null, cancelledForMs: null, limit: 1 };
    expect(await state.deleteFinishedSequences(ages)).toBe(1);
    expect(await state.getJobs({ ids: [early.id] })).toEqual([undefined]);
    expect(await state.deleteFinishedSequences(ages)).toBe(1);
    expect(await state.getJobs({ ids: [late.id] })).toEqual([undefined]);
    expect(await state.deleteFinishedSequences(ages)).toBe(0);
    expect((await steps.get(needed)).status).toBe("completed");
  });

  it("lets completed dependants forget the sequences that went", async () => {
    const { state, clock, database } = aStore();
    const steps = createStateSteps(state);
    const blockers = await steps.create({}, {});
    const waiting = await steps.createBlocked(blockers, { typeName: "waiting" });
    const [first, second_] = blockers;
    if (first === undefined || second_ === undefined) throw new Error("two blockers");
    await steps.completeWithoutWorker(first);
    clock.ms += 10 * second;
    await steps.completeWithoutWorker(second_);
    await steps.completeWithoutWorker(waiting);
    const ages = { completedForMs: 5 * second, failedForMs: null, cancelledForMs: null, limit: 10 };
    expect(await state.deleteFinishedSequences(ages)).toBe(1);
    const [left] = await state.getBlockers({ ids: [waiting.id] });
    expect(left?.map(({ first: { id } }) => id)).toEqual([second_.id]);
    expect(database.store.byId.get(waiting.id)?.state?.blockers).toHaveLength(1);
    // The edge that is left keeps its place in the list.
    expect(await state.listBlockerEdges({ ids: [waiting.id] })).toEqual([
      { jobId: waiting.id, sequenceId: waiting.id, blockerSequenceId: second_.id, index: 1 },
    ]);
  });

  it("keeps that order when a transaction on an old tree is rolled back", async () => {
    const { state, clock } = aStore();
    const steps = createStateSteps(state);
    const [old, other] = await steps.create({}, {});
    if (old === undefined || other === undefined) throw new Error("two jobs were to be created");
    const branch = await steps.createOne({ rootSequenceId: old.id });
    for (const job of [old, other, branch]) {
      await steps.completeWithoutWorker(job);
      clock.ms += second;
    }
    const rolledBack = new Error("rolled back on purpose");
    const transaction = state.runInTransaction(async (context) => {
      await state.createJobs({ context, jobs: [aJob({ rootSequenceId: old.id })] });
      throw rolledBack;
    });
    await expect(transaction).rejects.toBe(rolledBack);
    const ages = { completedForMs: 0, failedForMs: null, cancelledForMs: null, limit: 1 };
    expect(await state.deleteFinishedSequences(ages)).toBe(1);
    expect(await state.getJobs({ ids: [other.id] })).toEqual([undefined]);
    expect(await state.deleteFinishedSequences(ages)).toBe(2);
  });

  it("leaves no way from a sequence to dependants that are gone", async () => {
    const { state, database } = aStore();
    const steps = createStateSteps(state);
    const blocker = await steps.createOne();
    const rolledBack = new Error("rolled back on purpose");
    const transaction = state.runInTransaction(async (context) => {
      await createStateSteps(state, context).createBlocked([blocker]);
      throw rolledBack;
    });
    await expect(transaction).rejects.toBe(rolledBack);
    expect(database.store.byId.get(blocker.id)?.dependants).toBeNull();
    const waiting = await steps.createBlocked([blocker]);
    expect(database.store.byId.get(blocker.id)?.dependants?.size).toBe(1);
    await state.runInTransaction((context) =>
      state.deleteSequences({ context, rootSequenceIds: [waiting.id] }),
    );
    expect(database.store.byId.get(blocker.id)?.dependants).toBeNull();
  });

  it("leaves nothing behind", async () => {
    const { state, clock } = aStore();
    const created = await state.createJobs({ jobs: jobs(3_000) });
    await state.completeJobs({
      workerId: null,
      completions: created.map(({ job }) => ({
        jobId: job.id,
        leaseVersion: null,
        outcome: { kind: "output", output: "1" },
      })),
    });
    clock.ms += second;
    const ages = { completedForMs: 0, failedForMs: 0, cancelledForMs: 0, limit: 1_000 };
    for (let round = 0; round < 3; round++) {
      expect(await state.deleteFinishedSequences(ages)).toBe(1_000);
    }
    expect(await state.deleteFinishedSequences(ages)).toBe(0);
    expect((await state.summarize({ runningLongMs: 0 })).counts).toEqual([]);
  });
});
