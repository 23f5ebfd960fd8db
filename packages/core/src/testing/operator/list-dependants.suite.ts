import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const listDependantsSuite: OperatorSuite = defineOperatorSuite("listDependants", (rule) => {
  rule(
    "The ids of the jobs that wait or waited for a sequence, in ascending order and at most `limit`.",
    async ({ operator, steps }) => {
      const first = await steps.createRunning({ typeName: "blocker" });
      const other = await steps.createOne({ typeName: "other" });
      const waiting: string[] = [];
      for (const _ of Array.from({ length: 5 })) {
        waiting.push((await steps.createBlocked([first, other])).id);
      }
      waiting.sort();
      await steps.createBlocked([other]);
      await steps.complete(first);
      const pages: (readonly string[])[] = [];
      for (let afterId: string | null = null; ;) {
        const page = await operator.listDependants({ sequenceId: first.id, afterId, limit: 2 });
        pages.push(page);
        afterId = page.at(-1) ?? null;
        if (page.length < 2) break;
      }
      expect(pages).toEqual([waiting.slice(0, 2), waiting.slice(2, 4), waiting.slice(4)]);
      const all = await operator.listDependants({
        ...{ sequenceId: other.id, afterId: null, limit: 100 },
      });
      expect(all).toHaveLength(6);
    },
  );

  rule("Each job once. Empty for a sequence that does not exist.", async ({ operator, steps }) => {
    const blocker = await steps.createOne({ typeName: "blocker" });
    const twice = await steps.createBlocked([blocker, blocker]);
    const list = (sequenceId: string) =>
      operator.listDependants({ sequenceId, afterId: null, limit: 10 });
    expect(await list(blocker.id)).toEqual([twice.id]);
    expect(await list(twice.id)).toEqual([]);
    expect(await list(await steps.absentId())).toEqual([]);
  });
});
