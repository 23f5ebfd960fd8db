import { expect } from "vitest";
import type { ActionRecord } from "../../adapters/operator-actions.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const anAction = (id: string, overrides: Partial<ActionRecord> = {}): ActionRecord => ({
  id,
  action: "retry",
  user: "ada",
  filter: 'status:failed error:"$a \u00e9 🙂"',
  count: 17,
  ...overrides,
});

export const beginActionSuite: OperatorSuite = defineOperatorSuite("beginAction", (rule) => {
  rule(
    "Returns false, and stores nothing, if an action of this id is stored already.",
    async ({ operator }) => {
      expect(await operator.beginAction(anAction("a"))).toBe(true);
      const [begun] = await operator.listActions({ limit: 10 });
      expect(begun).toEqual({
        ...anAction("a"),
        ...{ startedAt: begun?.startedAt, finishedAt: null, done: 0, refused: 0 },
      });
      const again = anAction("a", { user: null, filter: null, count: 0 });
      expect(await operator.beginAction(again)).toBe(false);
      expect(await operator.listActions({ limit: 10 })).toEqual([begun]);
      expect(await operator.beginAction({ ...again, id: "b" })).toBe(true);
      const stored = (await operator.listActions({ limit: 10 })).find(({ id }) => id === "b");
      expect(stored).toMatchObject({ user: null, filter: null, count: 0 });
    },
  );

  rule("of ten calls at once with one id, one begins", async ({ operator }) => {
    const calls = Array.from({ length: 10 }, () => operator.beginAction(anAction("one")));
    const begun = await Promise.all(calls);
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await operator.listActions({ limit: 20 })).toHaveLength(1);
  });
});
