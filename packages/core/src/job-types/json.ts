// Payloads are JSON. The value that a handler reads differs in two ways from the value that was
// written, the same in every store:
// - a `Date` is written as its ISO string, and read as that string;
// - `undefined` in an object is written as nothing, and read as a missing property; anywhere else (in an array, or
//   as the whole payload) it is written and read as `null`.

type JsonPrimitive = string | number | boolean | null;

/** The values that JSON carries unchanged. */
export type JsonValue =
  JsonPrimitive | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/**
 * A payload type as it is read back. Plain JSON types are answered by the first line, at no further
 * cost.
 */
export type Jsonified<T> = [T] extends [JsonValue] ? T : JsonifiedMember<T>;

type JsonifiedMember<T> = unknown extends T
  ? T
  : T extends JsonPrimitive
    ? T
    : T extends Date
      ? string
      : T extends undefined | void
        ? null
        : T extends readonly unknown[]
          ? { [TIndex in keyof T]: Jsonified<T[TIndex]> }
          : { [TKey in keyof T]: JsonifiedProperty<T[TKey]> };

type JsonifiedProperty<T> = unknown extends T
  ? T
  : Jsonified<Exclude<T, undefined>> | Extract<T, undefined>;

/**
 * Whether JSON can carry a payload type, `Date` and `undefined` included. Recursive types end: see
 * below.
 */
export type IsJson<T> = [T] extends [JsonValue] ? true : [T] extends [Carried<T>] ? true : false;

// The payload with everything JSON cannot carry replaced by never. A mapped type is resolved as far
// as a comparison needs it, and the comparison stops at recursion. A walk over the type would not
// end for a tree.
type Carried<T> = unknown extends T
  ? T
  : T extends JsonPrimitive | undefined | void | Date
    ? T
    : T extends bigint | symbol | Callable
      ? never
      : IsError<T> extends true
        ? never
        : { [TKey in keyof T]: Carried<T[TKey]> };

// Maps, sets, promises and class instances with methods are refused by their methods, which are
// functions. Errors have none, and are told from a plain `{ name, message }` by their stack.
type IsError<T> = T extends Error ? ("stack" extends keyof T ? true : false) : false;

type Callable = (...args: never[]) => unknown;

/**
 * The mistake in a payload type, as the end of a sentence; never if no mistake is found within a
 * few levels.
 */
export type NonJsonPart<
  T,
  TPath extends string,
  TLevels extends unknown[] = [],
> = TLevels["length"] extends 6
  ? never
  : unknown extends T
    ? never
    : T extends JsonPrimitive | undefined | void | Date
      ? never
      : T extends object
        ? NonJsonObjectPart<T, TPath, TLevels>
        : `a ${T extends bigint ? "bigint" : "symbol"} at '${TPath}'`;

type NonJsonObjectPart<T extends object, TPath extends string, TLevels extends unknown[]> = [
  NonJsonKind<T>,
] extends [never]
  ? T extends readonly (infer TElement)[]
    ? NonJsonPart<TElement, `${TPath}[]`, [...TLevels, unknown]>
    : {
        [TKey in keyof T & string]-?: NonJsonPart<
          T[TKey],
          `${TPath}.${TKey}`,
          [...TLevels, unknown]
        >;
      }[keyof T & string]
  : `${NonJsonKind<T>} at '${TPath}'`;

type NonJsonKind<T extends object> = T extends Callable
  ? "a function"
  : T extends readonly unknown[]
    ? never
    : T extends ReadonlyMap<unknown, unknown>
      ? "a Map"
      : T extends ReadonlySet<unknown>
        ? "a Set"
        : T extends PromiseLike<unknown>
          ? "a Promise"
          : T extends ArrayBufferView
            ? "binary data"
            : IsError<T> extends true
              ? "an Error"
              : HasMethods<T> extends true
                ? "an object with methods"
                : never;

// More than one: a single function is better named by its own path.
type HasMethods<T> = IsUnion<
  {
    [TKey in keyof T]-?: T[TKey] extends Callable ? TKey : never;
  }[keyof T]
>;

type IsUnion<T, TAll = T> = (T extends unknown ? ([TAll] extends [T] ? false : true) : never) &
  true extends never
  ? false
  : true;
