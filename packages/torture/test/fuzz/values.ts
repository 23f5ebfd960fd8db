// The values that a caller without a compiler may pass.
import fc from "fast-check";

class Unexpected {
  readonly field = 1;
}

const cyclic: Record<string, unknown> = {};
cyclic["itself"] = cyclic;

const known: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY],
  ...[Number.MAX_SAFE_INTEGER, 2 ** 31, -(2 ** 63), 1e300, 5e-324, 10n],
  ...["", " ", "\0", "a\0b", "\ud800", "ß漢🐌", "x".repeat(10_000), "__proto__", "null", "'; --"],
  ...[[], {}, [undefined], [null], [[]], cyclic, new Unexpected(), new Map([[1, 2]]), new Set([1])],
  ...[new Date(), new Date(Number.NaN), new Date(8.64e15), new Date(-1), /x/u, new Error("x")],
  ...[Symbol("s"), () => undefined, async () => undefined, new Uint8Array(3)],
  ...[{ id: 1 }, { id: null, typeName: "plain" }, { toJSON: () => 1 }, Object.create(null)],
];

/** Anything at all. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...known) },
  { weight: 1, arbitrary: fc.anything({ withBigInt: true, withDate: true, withMap: true }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

type Path = readonly (string | number)[];

/** Adapters are replaced as a whole. The compiler and the suites check their methods. */
const isAdapter = (value: object): boolean =>
  "createJobs" in value || "notifyJobScheduled" in value;

/** Where something can be replaced: everywhere in objects and arrays, and the whole. */
const pathsOf = (value: unknown, path: Path = []): Path[] => {
  if (typeof value !== "object" || value === null || value instanceof Date) return [path];
  if (isAdapter(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
};

interface Replaced {
  readonly isLeftOut: boolean;
  readonly by: unknown;
}

const replaceAt = (value: unknown, [key, ...rest]: Path, replaced: Replaced): unknown => {
  if (key === undefined) return replaced.by;
  // A path leads through objects and arrays only, unless an earlier replacement has taken them away.
  if (typeof value !== "object" || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (rest.length === 0 && replaced.isLeftOut) delete copy[key];
  else copy[key] = replaceAt(copy[key], rest, replaced);
  return copy;
};

/** Sound options with one or two of their parts replaced or left out. */
export const spoilt = (sound: object): fc.Arbitrary<unknown> => {
  const change = fc.record({
    path: fc.constantFrom(...pathsOf(sound)),
    isLeftOut: fc.boolean(),
    by: anyValue,
  });
  return fc
    .array(change, { minLength: 1, maxLength: 2 })
    .map((changes) =>
      changes.reduce<unknown>(
        (value, { path, ...replaced }) => replaceAt(value, path, replaced),
        sound,
      ),
    );
};
