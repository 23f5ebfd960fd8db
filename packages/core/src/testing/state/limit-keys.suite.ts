import { expect } from "vitest";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import {
  acquireOf,
  keysOf,
  keysTaken,
  manyUnder,
  setLimit,
  setPerKey,
  slowRate,
  under,
} from "./limit-key-steps.ts";

export const boundsOfKeysSuite: StateSuite = defineStateSuite("limits by key, bounds", (rule) => {
  rule(
    "A limit with bounds `perKey`: at no moment do more than its `concurrency` jobs of one key hold an unexpired lease.",
    async ({ steps, stateAdapter, secondStateAdapter }) => {
      await setPerKey(stateAdapter, 2);
      await steps.create(...manyUnder("a", 4), ...manyUnder("b", 1), ...manyUnder("c", 3));
      const first = await acquireOf(stateAdapter, ["task"]);
      expect(keysTaken(first)).toEqual(["a", "a", "b", "c", "c"]);
      expect(keysTaken(await acquireOf(secondStateAdapter, ["task"]))).toEqual([]);
      for (const { job } of first.jobs) {
        if (job.input === '"a"') await steps.complete(job);
      }
      expect(keysTaken(await acquireOf(secondStateAdapter, ["task"]))).toEqual(["a", "a"]);
    },
  );

  rule("a key without bounds of its limit starts all its jobs", async ({ steps, stateAdapter }) => {
    await steps.create(...manyUnder("a", 5), ...manyUnder("b", 2));
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(7);
  });

  rule(
    "In any `perMs` jobs of one key whose costs are at most `count` + `burst` - 1 together start.",
    async ({ steps, stateAdapter }) => {
      await setLimit(stateAdapter, { perKey: { concurrency: null, rate: slowRate(4) } });
      const two = { cost: 2 };
      await steps.create(under("a"), ...manyUnder("a", 3, two), ...manyUnder("b", 6));
      const first = await acquireOf(stateAdapter, ["task"]);
      // One and two of four tokens: the next job of this key would need two more.
      expect(keysTaken(first)).toEqual(["a", "a", "b", "b", "b", "b"]);
      for (const { job } of first.jobs) await steps.complete(job);
      expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual([]);
      const [a, b] = await keysOf(stateAdapter).getLimitKeys({
        ...{ limitName: "task", keys: ["a", "b"] },
      });
      expect([a?.tokens, b?.tokens]).toEqual([1, 0]);
    },
  );

  rule("A cost above `burst` counts as `burst`.", async ({ steps, stateAdapter }) => {
    await setLimit(stateAdapter, { perKey: { concurrency: null, rate: slowRate(2) } });
    await steps.create(under("a", { cost: 50 }), under("a"), under("b"), under("b", { cost: 50 }));
    expect(keysTaken(await acquireOf(stateAdapter, ["task"]))).toEqual(["a", "b"]);
  });

  rule(
    "Jobs under a key count under the overall bounds of its limit, and under those of their own type.",
    async ({ steps, stateAdapter }) => {
      await setLimit(stateAdapter, { name: "crm", concurrency: 3 });
      const shared = { limitName: "crm" };
      const other = { ...shared, typeName: "other" };
      await steps.create(...manyUnder("a", 3, shared), ...manyUnder("b", 3, other));
      await setLimit(stateAdapter, { name: "other", concurrency: 1 });
      const others = await acquireOf(stateAdapter, ["other"]);
      expect(others.jobs).toHaveLength(1);
      const tasks = await acquireOf(stateAdapter, ["task"]);
      expect(tasks.jobs).toHaveLength(2);
      const jobs = [...others.jobs, ...tasks.jobs];
      expect(await stateAdapter.getLimits({ names: ["crm", "other"] })).toMatchObject([
        { name: "crm", running: 3 },
        { name: "other", running: 1 },
      ]);
      for (const { job } of jobs) await steps.complete(job);
      await setLimit(stateAdapter, { name: "crm", rate: slowRate(2) });
      expect((await acquireOf(stateAdapter, ["task"])).jobs.length).toBeLessThanOrEqual(2);
    },
  );

  rule("a limit of its own name counts jobs with and without keys", async (test) => {
    const { steps, stateAdapter } = test;
    await setLimit(stateAdapter, { concurrency: 3 });
    await steps.create(...manyUnder("a", 3), {}, {}, {});
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(3);
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(0);
  });

  rule(
    "Jobs of several types that share a key share its permits and its tokens.",
    async ({ steps, stateAdapter }) => {
      const shared = { limitName: "crm" };
      const rate = slowRate(3);
      await setLimit(stateAdapter, { name: "crm", perKey: { concurrency: 1, rate } });
      await steps.create(
        ...manyUnder("a", 3, shared),
        ...manyUnder("a", 3, { ...shared, typeName: "other" }),
      );
      for (const typeName of ["task", "other", "task"]) {
        const { jobs } = await acquireOf(stateAdapter, [typeName]);
        expect(jobs).toHaveLength(1);
        for (const { job } of (await acquireOf(stateAdapter, ["other", "task"])).jobs) {
          expect(job).toBeUndefined();
        }
        for (const { job } of jobs) await steps.complete(job);
      }
      // All three tokens are taken.
      expect((await acquireOf(stateAdapter, ["other", "task"])).jobs).toEqual([]);
    },
  );
});
