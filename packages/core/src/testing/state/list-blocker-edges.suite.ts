import { expect } from "vitest";
import type { BlockerEdge } from "../../adapters/state-adapter-queries.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const inOrder = (edges: readonly BlockerEdge[]): BlockerEdge[] =>
  [...edges].sort((left, right) =>
    `${left.jobId} ${left.index}` < `${right.jobId} ${right.index}` ? -1 : 1,
  );

export const listBlockerEdgesSuite: StateSuite = defineStateSuite("listBlockerEdges", (rule) => {
  rule(
    "The blockers and dependants of these sequences: every edge with one of them at either end.",
    async ({ steps, stateAdapter }) => {
      const a = await steps.createOne({ typeName: "a" });
      const b = await steps.createBlocked([a], { typeName: "b" });
      const c = await steps.createBlocked([b, a], { typeName: "c" });
      const edge = (jobId: string, blockerSequenceId: string, index: number): BlockerEdge => ({
        jobId,
        sequenceId: jobId,
        blockerSequenceId,
        index,
      });
      const [ba, cb, ca] = [edge(b.id, a.id, 0), edge(c.id, b.id, 0), edge(c.id, a.id, 1)];
      const list = async (...ids: string[]) =>
        inOrder(await stateAdapter.listBlockerEdges({ ids }));
      expect(await list(a.id)).toEqual(inOrder([ba, ca]));
      expect(await list(b.id)).toEqual(inOrder([ba, cb]));
      expect(await list(c.id)).toEqual(inOrder([cb, ca]));
      expect(await list(a.id, b.id, c.id)).toEqual(inOrder([ba, cb, ca]));
    },
  );

  rule(
    "edges of a later job name its sequence",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const blocker = await steps.createOne({ typeName: "blocker" });
      const first = await steps.createRunning();
      const next = await steps.continueWith(first, { awaitsBlockers: true });
      await runInTransaction((context) =>
        stateAdapter.addBlockers({
          context,
          jobs: [{ jobId: next.id, blockerSequenceIds: [blocker.id] }],
        }),
      );
      const edge = {
        jobId: next.id,
        sequenceId: first.id,
        blockerSequenceId: blocker.id,
        index: 0,
      };
      expect(await stateAdapter.listBlockerEdges({ ids: [first.id] })).toEqual([edge]);
      expect(await stateAdapter.listBlockerEdges({ ids: [blocker.id] })).toEqual([edge]);
    },
  );

  rule(
    "edges stay when the blocker has completed, and a blocker given twice has two",
    async ({ steps, stateAdapter }) => {
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const job = await steps.createBlocked([blocker, blocker]);
      await steps.complete(blocker);
      const edges = inOrder(await stateAdapter.listBlockerEdges({ ids: [job.id] }));
      expect(edges.map(({ index, blockerSequenceId }) => [index, blockerSequenceId])).toEqual([
        [0, blocker.id],
        [1, blocker.id],
      ]);
    },
  );

  rule("an empty list for no sequences", async ({ steps, stateAdapter }) => {
    const job = await steps.createOne();
    expect(await stateAdapter.listBlockerEdges({ ids: [job.id, await steps.absentId()] })).toEqual(
      [],
    );
    expect(await stateAdapter.listBlockerEdges({ ids: [] })).toEqual([]);
  });
});
