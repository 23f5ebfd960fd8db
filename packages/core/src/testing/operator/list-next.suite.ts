import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

const examineMax = 100;

export const listNextSuite: OperatorSuite = defineOperatorSuite("listNext", (rule) => {
  rule(
    "The ids of the due jobs of a type without a key, in the order of acquisition and at most `limit`.",
    async ({ operator, steps }) => {
      const later = await steps.createOne({ schedule: { afterMs: minuteMs }, priority: 9 });
      const third = await steps.createOne();
      await steps.createOne({ typeName: "other", priority: 9 });
      const first = await steps.createOne({ priority: 5 });
      const fourth = await steps.createOne({ priority: -1 });
      const second = await steps.createOne({ schedule: { at: new Date(0) } });
      const blocker = await steps.createOne({ typeName: "blocker" });
      await steps.createBlocked([blocker]);
      const expected = [first, second, third, fourth].map(({ id }) => id);
      const next = await operator.listNext({ typeName: "task", limit: 10, examineMax });
      expect(next).toEqual({ ids: expected, isCut: false });
      const two = await operator.listNext({ typeName: "task", limit: 2, examineMax });
      expect(two).toEqual({ ids: expected.slice(0, 2), isCut: false });
      const none = await operator.listNext({ typeName: "absent", limit: 2, examineMax });
      expect(none).toEqual({ ids: [], isCut: false });
      const acquired = await steps.acquire({ limit: 10 });
      expect(acquired.map(({ job }) => job.id)).toEqual(expected);
      expect(expected).not.toContain(later.id);
    },
  );

  rule(
    "Looks at no more than `examineMax` pending jobs. A scheduled job of a higher priority is looked at before a due one.",
    async ({ operator, steps }) => {
      const schedule = { afterMs: minuteMs };
      await steps.create({ schedule, priority: 1 }, { schedule, priority: 1 });
      const { id } = await steps.createOne();
      const look = (max: number) =>
        operator.listNext({ typeName: "task", limit: 5, examineMax: max });
      expect(await look(2)).toEqual({ ids: [], isCut: true });
      expect(await look(4)).toEqual({ ids: [id], isCut: false });
    },
  );
});
