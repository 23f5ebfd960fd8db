import { expect } from "vitest";
import { aKey } from "../factories.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const deleteRoots = (
  { runInTransaction, stateAdapter }: StateCaseContext,
  ...rootSequenceIds: readonly string[]
) => runInTransaction((context) => stateAdapter.deleteSequences({ context, rootSequenceIds }));

export const deleteSequencesSuite: StateSuite = defineStateSuite("deleteSequences", (rule) => {
  rule("Deletes every job of the given roots' trees.", async (test) => {
    const { steps, stateAdapter } = test;
    const root = await steps.createRunning({ typeName: "root" });
    const next = await steps.continueWith(root);
    const child = await steps.createOne({ rootSequenceId: root.id, originId: root.id });
    const other = await steps.createOne({ typeName: "other" });
    expect(await deleteRoots(test, root.id)).toEqual({
      kind: "deleted",
      jobCount: 3,
      running: [],
    });
    const ids = [root.id, next.id, child.id, other.id];
    expect(await stateAdapter.getJobs({ ids })).toEqual([undefined, undefined, undefined, other]);
    expect(await steps.acquire({ typeName: "next" })).toEqual([]);
    expect(await steps.acquire()).toEqual([]);
  });

  rule("`running`: those whose holders have to be told.", async (test) => {
    const { steps } = test;
    const root = await steps.createRunning({ typeName: "root" });
    const child = await steps.createRunning({ rootSequenceId: root.id, originId: root.id });
    await steps.createOne({ typeName: "idle", rootSequenceId: root.id, originId: root.id });
    const result = await deleteRoots(test, root.id);
    if (result.kind !== "deleted") throw new Error(result.kind);
    expect(result.jobCount).toBe(3);
    expect(result.running.map(({ id }) => id).sort()).toEqual([root.id, child.id].sort());
    expect(result.running.find(({ id }) => id === child.id)).toEqual({
      id: child.id,
      typeName: "task",
      sequenceId: child.id,
      sequenceTypeName: "task",
      rootSequenceId: root.id,
      originId: root.id,
    });
  });

  rule("Ids that do not exist are not an error.", async (test) => {
    const { steps } = test;
    const job = await steps.createOne();
    const absent = await steps.absentId();
    const nothing = { kind: "deleted", jobCount: 0, running: [] };
    expect(await deleteRoots(test, absent)).toEqual(nothing);
    expect(await deleteRoots(test, absent, job.id)).toEqual({ ...nothing, jobCount: 1 });
    expect(await deleteRoots(test)).toEqual(nothing);
  });

  rule(
    "All or nothing: nothing is deleted if a job outside the set waits for a sequence in it, or an id is not a root. The result names them.",
    async (test) => {
      const { steps } = test;
      const blocker = await steps.createOne({ typeName: "blocker" });
      const outside = await steps.createBlocked([blocker]);
      const bystander = await steps.createOne({ typeName: "bystander" });
      expect(await deleteRoots(test, bystander.id, blocker.id)).toEqual({
        kind: "blocking",
        edges: [
          {
            jobId: outside.id,
            sequenceId: outside.id,
            blockerSequenceId: blocker.id,
            index: 0,
          },
        ],
      });
      const child = await steps.createOne({
        typeName: "child",
        rootSequenceId: bystander.id,
        originId: bystander.id,
      });
      expect(await deleteRoots(test, bystander.id, child.id)).toEqual({
        kind: "notRoots",
        sequenceIds: [child.id],
      });
      for (const job of [blocker, outside, bystander, child]) await steps.get(job);
      const both = await deleteRoots(test, blocker.id, outside.id);
      expect(both).toMatchObject({ kind: "deleted", jobCount: 2 });
    },
  );

  rule("a later job of a sequence is no root", async (test) => {
    const { steps } = test;
    const first = await steps.createRunning();
    const next = await steps.continueWith(first);
    expect(await deleteRoots(test, next.id)).toEqual({ kind: "notRoots", sequenceIds: [next.id] });
    await steps.get(first);
  });

  rule("blockers within one tree do not stand in the way", async (test) => {
    const { steps, stateAdapter } = test;
    const root = await steps.createOne({ typeName: "root" });
    const inTree = { rootSequenceId: root.id, originId: root.id };
    const blocker = await steps.createOne({ typeName: "blocker", ...inTree });
    const waiting = await steps.createBlocked([blocker], inTree);
    expect(await deleteRoots(test, root.id)).toMatchObject({ kind: "deleted", jobCount: 3 });
    expect(await stateAdapter.listBlockerEdges({ ids: [blocker.id, waiting.id] })).toEqual([]);
  });

  rule("a tree that waits for another one can go, its blockers stay", async (test) => {
    const { steps, stateAdapter } = test;
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const waiting = await steps.createBlocked([blocker]);
    expect(await deleteRoots(test, waiting.id)).toMatchObject({ kind: "deleted", jobCount: 1 });
    expect(await stateAdapter.listBlockerEdges({ ids: [blocker.id] })).toEqual([]);
    expect(await steps.complete(blocker)).toMatchObject({ kind: "completed" });
  });

  rule("a deleted key is free again", async (test) => {
    const { steps } = test;
    const first = await steps.createOne({ deduplication: aKey("k") });
    await deleteRoots(test, first.id);
    expect((await steps.createOne({ deduplication: aKey("k") })).id).not.toBe(first.id);
    const all = aKey("all", { strategy: "all" });
    const completed = await steps.createCompleted({ typeName: "c", deduplication: all });
    await deleteRoots(test, completed.id);
    expect((await steps.createOne({ typeName: "c", deduplication: all })).id).not.toBe(
      completed.id,
    );
  });

  rule("is rolled back with its transaction", async ({ steps, stateAdapter, openTransaction }) => {
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const waiting = await steps.createBlocked([blocker]);
    const { context, rollback } = await openTransaction();
    const rootSequenceIds = [blocker.id, waiting.id];
    const result = await stateAdapter.deleteSequences({ context, rootSequenceIds });
    expect(result).toMatchObject({ kind: "deleted", jobCount: 2 });
    await rollback();
    expect(await steps.get(blocker)).toEqual(blocker);
    await steps.complete(blocker);
    expect((await steps.acquireOne()).id).toBe(waiting.id);
  });

  rule("the same root twice is deleted once", async (test) => {
    const job = await test.steps.createOne();
    expect(await deleteRoots(test, job.id, job.id)).toMatchObject({ jobCount: 1 });
  });
});
