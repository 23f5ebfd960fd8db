import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const readClockSuite: OperatorSuite = defineOperatorSuite("readClock", (rule) => {
  rule("The store's clock.", async ({ operator, steps }) => {
    const before = await steps.createOne();
    const now = await operator.readClock();
    const after = await steps.createOne();
    expect(now.getTime()).toBeGreaterThanOrEqual(before.createdAt.getTime());
    expect(now.getTime()).toBeLessThanOrEqual(after.createdAt.getTime());
  });
});
