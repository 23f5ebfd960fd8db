import { expect } from "vitest";
import { anAction } from "./begin-action.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const finishActionSuite: OperatorSuite = defineOperatorSuite("finishAction", (rule) => {
  rule(
    "Stores the end of an action that has begun. Changes nothing for another id.",
    async ({ operator }) => {
      await operator.beginAction(anAction("a"));
      await operator.finishAction({ id: "absent", done: 1, refused: 1 });
      const [begun, ...none] = await operator.listActions({ limit: 10 });
      expect(none).toEqual([]);
      expect(begun).toMatchObject({ id: "a", finishedAt: null });
      await operator.finishAction({ id: "a", done: 15, refused: 2 });
      const [finished] = await operator.listActions({ limit: 10 });
      expect(finished).toEqual({
        ...begun,
        ...{ done: 15, refused: 2, finishedAt: finished?.finishedAt },
      });
      expect(finished?.finishedAt?.getTime()).toBeGreaterThanOrEqual(
        finished?.startedAt.getTime() ?? Infinity,
      );
    },
  );
});
