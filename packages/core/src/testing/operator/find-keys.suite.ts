import { expect } from "vitest";
import { under } from "../state/limit-key-steps.ts";
import { minuteMs } from "../factories.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const findKeysSuite: OperatorSuite = defineOperatorSuite("findKeys", (rule) => {
  rule("The key that each job stands under.", async ({ steps, operator, stateAdapter }) => {
    const awkward = "a\u0001b\u0002'c";
    const [plain, one, other, shared] = await steps.create(
      {},
      under("one", { cost: 3 }),
      under(awkward, { typeName: "other" }),
      under("one", { typeName: "other", limitName: "shared" }),
    );
    const jobs = [plain, one, other, shared];
    const ids = [...jobs.map((job) => job?.id ?? ""), await steps.absentId()];
    expect(await operator.findKeys({ ids })).toEqual([
      undefined,
      { limitName: "task", key: "one", cost: 3, holders: [] },
      { limitName: "task", key: awkward, cost: 1, holders: [] },
      { limitName: "shared", key: "one", cost: 1, holders: [] },
      undefined,
    ]);
    expect(await operator.findKeys({ ids: [] })).toEqual([]);
    await stateAdapter.updateJobs({
      jobs: [
        {
          ...{ id: one?.id ?? "", input: null, schedule: null, priority: null, dueWithinMs: null },
          limitKey: null,
        },
      ],
    });
    expect(await operator.findKeys({ ids: [one?.id ?? ""] })).toEqual([undefined]);
  });

  rule(
    "`holders`: jobs of any type that hold an unexpired lease under it, at most 10.",
    async ({ steps, operator }) => {
      const hold = async (typeName: string, key: string, leaseMs = minuteMs): Promise<string> =>
        (await steps.createRunning(under(key, { typeName }), { typeName, leaseMs })).id;
      const held = [await hold("task", "a"), await hold("other", "a")];
      await hold("task", "b");
      const gone = await hold("task", "a", 1);
      await steps.untilExpired({ id: gone });
      const { id } = await steps.createOne(under("a", { typeName: "waiting" }));
      const [found] = await operator.findKeys({ ids: [id] });
      expect([...(found?.holders ?? [])].sort()).toEqual([...held].sort());
      for (let count = 0; count < 10; count++) await hold("many", "a");
      const [full] = await operator.findKeys({ ids: [id] });
      expect(full?.holders).toHaveLength(10);
    },
  );
});
