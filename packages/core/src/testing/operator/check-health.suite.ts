import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const checkHealthSuite: OperatorSuite = defineOperatorSuite("checkHealth", (rule) => {
  rule("Empty if all is well.", async ({ operator, steps, stateAdapter }) => {
    const blocker = await steps.createOne({ typeName: "blocker" });
    await steps.createBlocked([blocker]);
    await steps.createFailed({ typeName: "failed" });
    await steps.createRunning({ typeName: "running" });
    for (const isThorough of [false, true]) {
      const found = await operator.checkHealth({
        ...{ longTransactionMs: 3_600_000, isThorough, timeoutMs: 30_000 },
      });
      expect(found.filter(({ level }) => level !== "note")).toEqual([]);
    }
    // It has changed nothing.
    expect(await stateAdapter.getBlockers({ ids: [blocker.id] })).toEqual([[]]);
  });
});
