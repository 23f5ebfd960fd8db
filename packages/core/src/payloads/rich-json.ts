// JSON for people to read, with the values that JSON lacks as objects of one key: `{"$date":"2026-11-19T08:00:00.000Z"}`. A text
// without such values is plain JSON. So stored payloads of before are read as they were, and operators can search in new ones.
import { depthMax, isPlainObject, joinPath } from "../model/json-problem.ts";
import type { PayloadCodec } from "../model/payload.ts";

/**
 * A payload codec for Date, Map, Set, bigint, Uint8Array, URL, RegExp, undefined, NaN, infinite numbers and -0, beside the
 * values of JSON. It refuses functions, symbols, cycles and instances of other classes.
 *
 * @example
 * ```ts
 * const jobTypeDefinitions = defineCodedJobTypes<{ bill: { input: { due: Date }; output: bigint } }>();
 * const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, payloads: { codec: richJson() } });
 * ```
 */
export const richJson = (): PayloadCodec => ({
  stringify: (payload) => JSON.stringify(encode(payload, { path: "$", ancestors: [] })),
  parse: (text) => {
    const value = JSON.parse(text) as unknown;
    // Most payloads have no special values, and need no walk.
    return text.includes('{"$') ? decode(value) : value;
  },
});

interface Place {
  readonly path: string;
  readonly ancestors: readonly object[];
}

const encode = (value: unknown, place: Place): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "undefined":
      return { $undefined: true };
    case "bigint":
      return { $bigint: String(value) };
    case "number":
      if (Object.is(value, -0)) return { $number: "-0" };
      return Number.isFinite(value) ? value : { $number: String(value) };
    case "object":
      return value === null ? null : encodeObject(value, place);
    default:
      throw new TypeError(`${place.path} is a ${typeof value}`);
  }
};

const encodeObject = (value: object, place: Place): unknown => {
  const scalar = encodeScalar(value);
  if (scalar !== null) return scalar;
  if (place.ancestors.includes(value)) throw new TypeError(`${place.path} is a cycle`);
  if (place.ancestors.length >= depthMax)
    throw new TypeError(`it has more than ${depthMax} levels`);
  const inside = (part: string): Place => ({
    path: `${place.path}${part}`,
    ancestors: [...place.ancestors, value],
  });
  if (Array.isArray(value)) {
    // Not `map`, which skips holes.
    return Array.from(value, (item, index) => encode(item, inside(`[${index}]`)));
  }
  if (value instanceof Set) {
    return { $set: [...value].map((item, index) => encode(item, inside(`[${index}]`))) };
  }
  if (value instanceof Map) {
    const entries = [...value].map((entry, index) => encodeEntry(entry, inside(`[${index}]`)));
    return { $map: entries };
  }
  return encodePlain(value, place, inside);
};

/** The values without parts; null for all others. */
const encodeScalar = (value: object): unknown => {
  if (value instanceof Date) {
    return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  }
  if (value instanceof Uint8Array) {
    return {
      $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    };
  }
  if (value instanceof URL) return { $url: value.href };
  if (value instanceof RegExp) return { $regexp: [value.source, value.flags] };
  return null;
};

/** A key of text stays a key, so that secret keys are found and hidden from operators. */
const encodeEntry = ([key, value]: readonly [unknown, unknown], place: Place): unknown =>
  typeof key === "string"
    ? Object.fromEntries([[key, encode(value, place)]])
    : [encode(key, place), encode(value, place)];

const encodePlain = (value: object, place: Place, inside: (part: string) => Place): unknown => {
  if (!isPlainObject(value)) {
    const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
    throw new TypeError(
      `${place.path} is an instance of ${String(constructor?.name ?? "a class")}`,
    );
  }
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.some((key) => Object.prototype.propertyIsEnumerable.call(value, key))) {
    throw new TypeError(`${place.path} has a property named by a symbol`);
  }
  // As in JSON: a property that is undefined is left out.
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const encoded = Object.fromEntries(
    entries.map(([key, part]) => [key, encode(part, inside(joinPath("", key)))]),
  );
  // An object of the user's that looks like one of those above.
  return markOf(encoded) === null ? encoded : { $object: encoded };
};

/** The only key of an object, if it begins as those of special values do. */
const markOf = (value: object): string | null => {
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && key.startsWith("$") ? key : null;
};

const decode = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const mark = markOf(value);
  if (mark === null) return decodeParts(value);
  const content = (value as Readonly<Record<string, unknown>>)[mark];
  const read = Object.hasOwn(decoders, mark) ? decoders[mark]?.(content) : undefined;
  // JSON of before the codec that only looks like a special value.
  return read === undefined ? decodeParts(value) : read.value;
};

const decodeParts = (value: object): unknown =>
  Object.fromEntries(Object.entries(value).map(([key, part]) => [key, decode(part)]));

type Decoder = (content: unknown) => { readonly value: unknown } | undefined;

const ofText =
  (read: (text: string) => unknown): Decoder =>
  (content) =>
    typeof content === "string" ? { value: read(content) } : undefined;

const ofList =
  (read: (items: readonly unknown[]) => unknown): Decoder =>
  (content) =>
    Array.isArray(content) ? { value: read(content) } : undefined;

const toDate = ofText((text) => new Date(text));

const decoders: Readonly<Record<string, Decoder>> = {
  $undefined: (content) => (content === true ? { value: undefined } : undefined),
  $bigint: ofText(BigInt),
  $number: ofText(Number),
  $date: (content) => (content === null ? { value: new Date(Number.NaN) } : toDate(content)),
  $bytes: ofText((text) => new Uint8Array(Buffer.from(text, "base64"))),
  $url: ofText((text) => new URL(text)),
  $regexp: ofList(([source, flags]) => new RegExp(String(source), String(flags))),
  $set: ofList((items) => new Set(items.map(decode))),
  $map: ofList((items) => new Map(items.flatMap(decodeEntry))),
  $object: (content) =>
    typeof content === "object" && content !== null ? { value: decodeParts(content) } : undefined,
};

const decodeEntry = (entry: unknown): (readonly [unknown, unknown])[] => {
  if (Array.isArray(entry)) return [[decode(entry[0]), decode(entry[1])]];
  return Object.entries(entry as object).map(([key, part]) => [key, decode(part)] as const);
};
