import { expect } from "vitest";
import { anAction } from "./begin-action.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const listActionsSuite: OperatorSuite = defineOperatorSuite("listActions", (rule) => {
  rule("The actions, the newest first.", async ({ operator, steps }) => {
    expect(await operator.listActions({ limit: 10 })).toEqual([]);
    for (const id of ["a", "b", "c"]) {
      await operator.beginAction(anAction(id));
      const [newest] = await operator.listActions({ limit: 1 });
      expect(newest?.id).toBe(id);
      await steps.untilStoreTime(newest?.startedAt ?? new Date());
    }
    const actions = await operator.listActions({ limit: 2 });
    expect(actions.map(({ id }) => id)).toEqual(["c", "b"]);
  });
});
