import { expect } from "vitest";
import { matchesAll } from "../../adapter-kit/job-conditions.ts";
import type { StoreCondition } from "../../adapters/job-condition.ts";
import { conditionsFor, everything, populate } from "./examine-jobs.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

const all = { conditions: [], max: 1_000, examineMax: 1_000 } as const;
const important: StoreCondition = {
  ...{ field: "number", of: "priority", min: 1, max: null, negated: false },
};

export const countJobsSuite: OperatorSuite = defineOperatorSuite("countJobs", (rule) => {
  rule("How many jobs meet all conditions.", async (test) => {
    await populate(test);
    const { jobs } = await test.operator.examineJobs(everything);
    const now = await test.operator.readClock();
    expect(await test.operator.countJobs(all)).toEqual({ count: jobs.length, isAtLeast: false });
    for (const condition of conditionsFor(jobs)) {
      const { count } = await test.operator.countJobs({ ...all, conditions: [condition] });
      const expected = jobs.filter((job) => matchesAll(job, [condition], now)).length;
      expect([JSON.stringify(condition), count]).toEqual([JSON.stringify(condition), expected]);
    }
    const both: readonly StoreCondition[] = [
      { field: "status", anyOf: ["pending"], negated: false },
      { field: "text", of: "deduplicationKey", anyOf: ["day"], negated: false },
    ];
    expect(await test.operator.countJobs({ ...all, conditions: both })).toMatchObject({ count: 1 });
  });

  rule(
    "Counting stops at `max`, and looks at no more than `examineMax` jobs. Then `isAtLeast` is true.",
    async ({ operator, steps }) => {
      await steps.create(...Array.from({ length: 3 }, () => ({ priority: 1 })));
      await steps.create(...Array.from({ length: 9 }, () => ({})));
      const conditions = [important];
      const count = (max: number, examineMax: number) =>
        operator.countJobs({ conditions, max, examineMax });
      expect(await count(3, 12)).toEqual({ count: 3, isAtLeast: false });
      expect(await count(2, 12)).toEqual({ count: 2, isAtLeast: true });
      // The newest jobs first: the important ones are the oldest.
      expect(await count(3, 10)).toEqual({ count: 1, isAtLeast: true });
      expect(await count(3, 9)).toEqual({ count: 0, isAtLeast: true });
      const pending = { field: "status", anyOf: ["pending"], negated: false } as const;
      const few = { conditions: [pending], max: 5, examineMax: 12 };
      expect(await operator.countJobs(few)).toEqual({ count: 5, isAtLeast: true });
    },
  );
});
