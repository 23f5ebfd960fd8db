import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createInProcessStateAdapter,
  createQueuert,
  defineCodedJobTypes,
  defineUnionJobTypes,
  richJson,
} from "../../src/index.ts";
import { assertStarted, createTestQueuert } from "../../src/test.ts";
import { chooseSeed } from "../../src/testing/random.ts";

const codec = richJson();
const through = (value: unknown): unknown => codec.parse(codec.stringify(value));

describe("richJson", () => {
  it("gives back any value that it writes", () => {
    const values = fc.anything({
      ...{ withBigInt: true, withDate: true, withMap: true, withSet: true },
      withNullPrototype: false,
      withTypedArray: false,
    });
    const given = fc.property(values, (value) => {
      expect(withoutUndefined(through(value))).toStrictEqual(withoutUndefined(value));
    });
    fc.assert(given, { numRuns: 2_000, seed: chooseSeed() });
  });

  it.each([
    [{ $date: "x" }],
    [{ $object: { $set: [] } }],
    [{ $unknown: 1 }],
    [[undefined, { $undefined: true }]],
    [{ a: { $map: [[1, 2]] } }],
  ])("keeps an object that looks like a special value: %j", (value) => {
    expect(through(value)).toStrictEqual(value);
  });

  it("reads plain JSON with unknown marks, and marks with other contents, as they are", () => {
    for (const value of [{ $gt: 1 }, { $date: 5 }, { $set: "x" }, { a: 1, $date: "x" }]) {
      expect(codec.parse(JSON.stringify(value))).toEqual(value);
    }
  });

  it("writes plain values as plain JSON", () => {
    const value = { a: [1, "x", null, { b: true }], left: undefined };
    expect(codec.stringify(value)).toBe(JSON.stringify(value));
  });

  it("refuses too many levels", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 600; level += 1) deep = [deep];
    expect(() => codec.stringify(deep)).toThrow("more than 500 levels");
  });
});

/** Properties that are undefined are left out, as in JSON. */
const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return Array.from(value, withoutUndefined);
  if (value instanceof Set) return new Set([...value].map(withoutUndefined));
  if (value instanceof Map) {
    return new Map(
      [...value].map(([key, part]) => [withoutUndefined(key), withoutUndefined(part)]),
    );
  }
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutUndefined(part)]));
};

describe("at the door", () => {
  const stateAdapter = createInProcessStateAdapter();
  const uncoded = defineUnionJobTypes<{ task: { input: null; output: null } }>();
  const coded = defineCodedJobTypes<{ task: { input: Date; output: null } }>();
  const { stringify, parse } = codec;

  it.each([
    ["coded types without a codec", coded, undefined, "`defineCodedJobTypes`"],
    ["a codec without coded types", uncoded, { codec }, "`defineCodedJobTypes`"],
    ["no `parse`", coded, { codec: { stringify } }, "payloads.codec.parse"],
    ["texts that are not JSON", coded, { codec: { stringify: () => "x", parse } }, "JSON text"],
    ["a lossy `parse`", coded, { codec: { stringify, parse: () => 1 } }, "plain JSON"],
  ])("refused: %s", async (_name, jobTypeDefinitions, payloads, reason) => {
    const options = { stateAdapter, jobTypeDefinitions, payloads } as never;
    await expect(createQueuert(options)).rejects.toMatchObject({
      code: "QUEUERT_INVALID_OPTION",
      message: expect.stringContaining(reason),
    });
  });

  it("a codec that returns no text is named", async () => {
    const odd = { stringify: (value: unknown) => (value === 1 ? (1 as never) : stringify(value)) };
    const queuert = await createQueuert({
      stateAdapter,
      jobTypeDefinitions: defineCodedJobTypes<{ task: { input: number; output: null } }>(),
      payloads: { codec: { ...odd, parse } },
    });
    const start = queuert.startJobSequence({ typeName: "task", input: 1, autocommit: true });
    await expect(start).rejects.toMatchObject({
      code: "QUEUERT_PAYLOAD_CODEC",
      message: expect.stringContaining("returned a number"),
    });
    await queuert.close();
  });
});

it("tests compare inputs as they were", async () => {
  const test = await createTestQueuert({
    jobTypeDefinitions: defineCodedJobTypes<{
      task: { input: { at: Date; ids: Set<bigint> }; output: null };
    }>(),
    payloads: { codec },
  });
  const input = { at: new Date(5), ids: new Set([1n]) };
  await test.queuert.startJobSequence({ typeName: "task", input, autocommit: true });
  await assertStarted(test, "task", { input });
  const other = assertStarted(test, "task", { input: { ids: new Set([2n]) } });
  await expect(other).rejects.toThrow("2n");
  await test.close();
});
