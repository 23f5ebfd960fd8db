import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const findIdsSuite: OperatorSuite = defineOperatorSuite("findIds", (rule) => {
  rule(
    "The ids of jobs that begin with a prefix, in any order and at most `limit`.",
    async ({ operator, steps }) => {
      const ids = (await steps.create({}, {}, {}, {})).map(({ id }) => id);
      const find = async (prefix: string, limit = 10) =>
        [...((await operator.findIds({ prefix, limit })) ?? [])].sort();
      for (const id of ids) {
        for (const length of [1, 8, 9, 13, 20, id.length - 1, id.length]) {
          const prefix = id.slice(0, length);
          expect(await find(prefix)).toEqual(ids.filter((each) => each.startsWith(prefix)).sort());
        }
      }
      expect(await find("")).toEqual([...ids].sort());
      expect(await find("", 3)).toHaveLength(3);
    },
  );

  rule("no job has a prefix that is no beginning of an id", async ({ operator, steps }) => {
    const { id } = await steps.createOne();
    for (const prefix of [
      "x",
      "%",
      "_",
      "'",
      "0-",
      `${id}0`,
      id.toUpperCase(),
      "\u{10ffff}",
      "é",
    ]) {
      expect([prefix, await operator.findIds({ prefix, limit: 10 })]).toEqual([prefix, []]);
    }
  });
});
