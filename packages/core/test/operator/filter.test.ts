import fc from "fast-check";
import { filterTerms, InvalidFilterError, parseFilter } from "queuert/operator";
import { describe, expect, it } from "vitest";

const now = new Date("2026-11-19T14:00:00.000Z");
const parse = (text: string) => parseFilter(text, now);
const conditionsOf = (text: string) => parse(text).terms.map(({ condition }) => condition);

const failureOf = (text: string): InvalidFilterError => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidFilterError) return error;
    throw error;
  }
  throw new Error(`The filter ${text} was accepted`);
};

describe("a filter", () => {
  it("has terms that all hold, values of which one holds, and negations", () => {
    expect(conditionsOf('type:a,b -status:failed error:"does not answer"')).toEqual([
      { field: "text", of: "typeName", anyOf: ["a", "b"], negated: false },
      { field: "status", anyOf: ["failed"], negated: true },
      { field: "contains", of: ["lastAttemptError"], anyOf: ["does not answer"], negated: false },
    ]);
  });

  it("reads every example of its table", () => {
    for (const { example, name } of filterTerms) {
      expect(parse(example).terms.map((term) => term.name)).toEqual([name]);
    }
  });

  it("takes a bare word for an id if it looks like one, else for a text", () => {
    const id = "0199a2f0-4c1e-7d21-9f40-5b1f0c9a88a0";
    expect(conditionsOf(`${id} 0199a2f0 invoice`)).toEqual([
      { field: "id", anyOf: [id], negated: false },
      { field: "idPrefix", anyOf: ["0199a2f0"], negated: false },
      { field: "contains", of: ["input", "lastAttemptError"], anyOf: ["invoice"], negated: false },
    ]);
  });

  it("counts durations from now, and reads dates without a zone as UTC", () => {
    expect(conditionsOf("since:2h until:2026-11-18T09:00")).toEqual([
      { ...time, from: new Date("2026-11-19T12:00:00Z"), to: null },
      { ...time, from: null, to: new Date("2026-11-18T09:00:00Z") },
    ]);
  });

  it("compares numbers", () => {
    const bounds = (text: string) =>
      conditionsOf(text).map((each) => (each.field === "number" ? [each.min, each.max] : null));
    expect(bounds("attempt:3 attempt:>3 attempt:>=3 attempt:<3 attempt:<=3")).toEqual([
      [3, 3],
      [4, null],
      [3, null],
      [null, 2],
      [null, 3],
    ]);
    expect(bounds("priority:-2..5")).toEqual([[-2, 5]]);
  });

  it("finds values in the input: a bare number is also a text", () => {
    expect(conditionsOf('input.user.id:42 input.name:"42" input.ok:true')).toEqual([
      { field: "inputAt", path: ["user", "id"], anyOf: ["42", '"42"'], negated: false },
      { field: "inputAt", path: ["name"], anyOf: ['"42"'], negated: false },
      { field: "inputAt", path: ["ok"], anyOf: ["true", '"true"'], negated: false },
    ]);
  });

  it("is indexed as soon as one term is", () => {
    expect(parse("status:failed error:x").cost).toBe("indexed");
    expect(parse("-status:failed error:x").cost).toBe("examined");
    expect(parse("").cost).toBe("examined");
  });

  it("keeps its meaning as absolute text", () => {
    const relative = parse('since:2h type:"a b",c -error:"it \\"is\\" \\\\ so"');
    const later = parseFilter(relative.text, new Date(now.getTime() + 1e9));
    expect(later.terms.map(({ condition }) => condition)).toEqual(
      relative.terms.map(({ condition }) => condition),
    );
  });

  it.each([
    ["tye:a", 0, "did you mean `type:`"],
    ["status:failed stauts:x", 14, "did you mean `status:`"],
    ["status:faild", 7, "did you mean `failed`"],
    ["status:", 7, "write a value"],
    ["type:a,", 7, "write a value"],
    ['error:"open', 6, "close it"],
    ['error:"a"b', 9, "write a space"],
    ["attempt:many", 8, "whole number"],
    ["attempt:1,2", 10, "one number"],
    ["since:yesterday", 6, "a duration"],
    ["since:2026-13-40", 6, "a duration"],
    ["since:1h,2h", 9, "one time"],
    ["input..x:1", 0, "each step"],
    ["-", 1, "write a value"],
  ])("refuses %s at %i with a remedy", (text, position, remedy) => {
    const error = failureOf(text);
    expect(error.position).toBe(position);
    expect(error.remedy).toContain(remedy);
    expect(error.code).toBe("QUEUERT_INVALID_FILTER");
  });

  it("refuses more characters or terms than are allowed", () => {
    expect(failureOf("a ".repeat(51)).message).toContain("too many terms");
    expect(failureOf("a".repeat(10_001)).message).toContain("10001 characters");
  });

  it("reads any text, or names a position in it", () => {
    const pieces = fc.constantFrom(
      ...["type:", "status:", "failed", "input.", "a.b", ":", ",", '"', "\\", "-", " ", "since:"],
      ...["2h", "attempt:", ">=3", "\0", "\ud800", "é", "🙂", "id:", "0199a3", "is:due", "\n"],
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const parsed = parse(text);
          const again = parseFilter(parsed.text, now);
          expect(again.terms.map(({ condition }) => condition)).toEqual(
            parsed.terms.map(({ condition }) => condition),
          );
        } catch (error) {
          if (!(error instanceof InvalidFilterError)) throw error;
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position).toBeLessThanOrEqual(text.length);
          expect(error.remedy).not.toBe("");
        }
      }),
      { numRuns: 2_000 },
    );
    // A second of work, which takes much longer beside other programs.
  }, 60_000);
});

const time = { field: "time", of: "createdAt", negated: false } as const;
