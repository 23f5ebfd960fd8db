import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const getBlockersSuite: StateSuite = defineStateSuite("getBlockers", (rule) => {
  rule(
    "The sequences each job waits or waited for, in the order they were given; empty for none.",
    async ({ steps, stateAdapter }) => {
      const [a, b, c] = [
        await steps.createRunning({ typeName: "a" }),
        await steps.createRunning({ typeName: "b" }),
        await steps.createOne({ typeName: "c" }),
      ];
      const waiting = await steps.createBlocked([c, a, b]);
      const waited = await steps.createBlocked([b, a], { typeName: "waited" });
      const free = await steps.createOne({ typeName: "free" });
      await steps.complete(a, "1");
      await steps.complete(b, "2");
      const ids = [free.id, waited.id, waiting.id];
      const lists = await stateAdapter.getBlockers({ ids });
      expect(lists.map((list) => list.map(({ first }) => first.id))).toEqual([
        [],
        [b.id, a.id],
        [c.id, a.id, b.id],
      ]);
      expect(lists[1]?.map(({ current }) => current.output)).toEqual(["2", "1"]);
      expect(lists[2]?.map(({ current }) => current.status)).toEqual([
        "pending",
        "completed",
        "completed",
      ]);
    },
  );

  rule("they stay after the job has ended", async ({ steps, stateAdapter }) => {
    const blocker = await steps.createCompleted({ typeName: "blocker" });
    await steps.createBlocked([blocker]);
    const job = await steps.acquireOne();
    await steps.complete(job);
    expect(await stateAdapter.getBlockers({ ids: [job.id] })).toMatchObject([
      [{ first: { id: blocker.id } }],
    ]);
  });

  rule("they are of the job, not of its sequence", async ({ steps, stateAdapter }) => {
    const blocker = await steps.createCompleted({ typeName: "blocker" });
    await steps.createBlocked([blocker]);
    const next = await steps.continueWith(await steps.acquireOne());
    expect(await stateAdapter.getBlockers({ ids: [next.id] })).toEqual([[]]);
  });

  rule("empty for a job that does not exist", async ({ steps, stateAdapter }) => {
    expect(await stateAdapter.getBlockers({ ids: [await steps.absentId()] })).toEqual([[]]);
    expect(await stateAdapter.getBlockers({ ids: [] })).toEqual([]);
  });
});
