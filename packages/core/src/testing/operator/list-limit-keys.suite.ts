import { expect } from "vitest";
import { acquireOf, keysOf, under } from "../state/limit-key-steps.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

const everything = { limitName: "task", fromKey: null, limit: 100 } as const;
const bounds = { concurrency: 1, rate: null, weight: 1 };
const forEver = { forMs: null, note: null, extends: false };

/** Keys of each kind, and those of another limit. */
const populate = async ({ steps, stateAdapter }: OperatorCaseContext): Promise<void> => {
  await steps.create(under("running"));
  await acquireOf(stateAdapter, ["task"]);
  await steps.create(under("pending"), under("pending", { typeName: "second" }));
  await steps.create({}, under("elsewhere", { limitName: "other" }));
  await keysOf(stateAdapter).setLimitKeys({
    keys: [
      { limitName: "task", key: "bounds", bounds },
      { limitName: "task", key: "paused", pause: forEver },
      { limitName: "task ", key: "near", bounds },
    ],
  });
};

export const listLimitKeysSuite: OperatorSuite = defineOperatorSuite("listLimitKeys", (rule) => {
  rule(
    "Each key that has bounds of its own, a pause, a pending job or a running one. Keys that had one may be among them.",
    async (test) => {
      const { operator } = test;
      expect(await operator.listLimitKeys(everything)).toEqual([]);
      await populate(test);
      const names = await operator.listLimitKeys(everything);
      expect(names.toSorted()).toEqual(["bounds", "paused", "pending", "running"]);
      expect(await operator.listLimitKeys({ ...everything, limitName: "other" })).toEqual([
        "elsewhere",
      ]);
    },
  );

  rule(
    "Names of keys of a limit, from `fromKey` on, in an order of the store's own.",
    async (test) => {
      const { operator } = test;
      await populate(test);
      const names = await operator.listLimitKeys(everything);
      for (const [place, fromKey] of names.entries()) {
        const found = await operator.listLimitKeys({ ...everything, fromKey });
        expect(found).toEqual(names.slice(place));
      }
      const none = { ...everything, fromKey: `${names.at(-1) ?? ""}x` };
      expect(await operator.listLimitKeys(none)).toEqual([]);
    },
  );

  rule(
    "Pages that begin at the first name behind the last page cover each key once.",
    async ({ operator, steps }) => {
      const keys = ["$key", 'it\'s "quoted"', "ünï\u0001code", "a\u0002b", "a.b", "%_", "🙂", "a"];
      await steps.create(...[...keys, ...keys].map((key) => under(key)));
      const found: string[] = [];
      let fromKey: string | null = null;
      do {
        const page: readonly string[] = await operator.listLimitKeys({
          ...{ limitName: "task", fromKey, limit: 4 },
        });
        found.push(...page.slice(0, 3));
        fromKey = page[3] ?? null;
      } while (fromKey !== null);
      expect(found.toSorted()).toEqual(keys.toSorted());
    },
  );

  rule("the terms `limit` and `limit-key` find the jobs of a key", async (test) => {
    const { operator, steps } = test;
    await populate(test);
    await steps.createOne(under("ünï\u0001code"));
    const keysFound = async (of: "limitName" | "limitKey", text: string, negated = false) => {
      const conditions = [{ field: "text", of, anyOf: [text], negated } as const];
      const page = { limit: 100, afterOrdinal: null, ordinalMax: null, examineMax: 100 };
      const { jobs } = await operator.examineJobs({ ...page, order: "asc", conditions });
      return jobs.map(({ input }) => input);
    };
    expect(await keysFound("limitKey", "running")).toEqual(['"running"']);
    expect(await keysFound("limitKey", "ünï\u0001code")).toHaveLength(1);
    expect(await keysFound("limitName", "other")).toEqual(['"elsewhere"']);
    expect(await keysFound("limitName", "task")).toHaveLength(4);
    expect(await keysFound("limitName", "task", true)).toHaveLength(2);
    expect(await keysFound("limitKey", "absent")).toEqual([]);
  });
});
