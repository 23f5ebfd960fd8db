import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";
import { always, kept } from "./record-metrics.suite.ts";

export const listMetricsSuite: OperatorSuite = defineOperatorSuite("listMetrics", (rule) => {
  rule(
    "The counts of the minutes or hours that began in a period, the oldest first, and then by type.",
    async ({ operator }) => {
      const entries = ["b", "a", "c"].map((typeName) => ({ typeName, counts: { completed: 1 } }));
      await operator.recordMetrics({ entries, ...kept });
      const minutes = { stepMs: 60_000, ...always, typeNames: null } as const;
      const all = await operator.listMetrics(minutes);
      expect(all.map(({ typeName }) => typeName)).toEqual(["a", "b", "c"]);
      const at = all[0]?.at ?? new Date(0);
      expect(at.getTime() % 60_000).toBe(0);
      expect(await operator.listMetrics({ ...minutes, from: at })).toEqual(all);
      expect(await operator.listMetrics({ ...minutes, to: at })).toEqual([]);
      const chosen = await operator.listMetrics({ ...minutes, typeNames: ["c", "a", "absent"] });
      expect(chosen.map(({ typeName }) => typeName)).toEqual(["a", "c"]);
      expect(await operator.listMetrics({ ...minutes, typeNames: [] })).toEqual([]);
    },
  );
});
