import { limits } from "../defaults.ts";
import { InvalidOptionError, LimitExceededError } from "../errors.ts";

/** A duration in milliseconds: finite, 0 or more, at most 100 years. */
export const assertDurationMs: (value: unknown, option: string) => asserts value is number = (
  value,
  option,
) => {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new InvalidOptionError(option, value, "give a finite number of milliseconds, 0 or more");
  }
  if (value > limits.delayMsMax) {
    throw new InvalidOptionError(option, value, "give at most 100 years of milliseconds");
  }
};

/** A duration above zero. */
export const assertPositiveMs: (value: unknown, option: string) => asserts value is number = (
  value,
  option,
) => {
  assertDurationMs(value, option);
  if (value === 0) throw new InvalidOptionError(option, value, "give more than 0 milliseconds");
};

/** A whole number within bounds, both inclusive. */
export const assertInteger: (
  value: unknown,
  option: string,
  bounds: { readonly min: number; readonly max: number },
) => asserts value is number = (value, option, { min, max }) => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidOptionError(option, value, `give a whole number from ${min} to ${max}`);
  }
};

/** The object that options are read from, with or without a compiler's check. */
export const assertObject: (value: unknown, option: string) => asserts value is object = (
  value,
  option,
) => {
  if (typeof value !== "object" || value === null) {
    throw new InvalidOptionError(option, value, "give an object");
  }
};

/** Recognises an object of the user's, such as a provider, by its methods: its class is not known. */
export const hasMethods = (value: unknown, methods: readonly string[]): boolean => {
  const held = Object(value) as Readonly<Record<string, unknown>>;
  return methods.every((name) => typeof held[name] === "function");
};

/** Refuses an object that lacks one of the methods. */
export const assertMethods = (
  value: unknown,
  option: string,
  methods: readonly string[],
  remedy: string,
): void => {
  if (!hasMethods(value, methods)) throw new InvalidOptionError(option, value, remedy);
};

/** Bounds the time that one call keeps the event loop and the store. */
export const assertElementCount = (values: readonly unknown[], option: string): void => {
  if (values.length <= limits.callElementsMax) return;
  throw new LimitExceededError({
    field: option,
    limit: limits.callElementsMax,
    actual: values.length,
    unit: "elements",
    remedy: "divide them among several calls",
  });
};

/** A function that the library calls later. */
export const assertFunction = (value: unknown, option: string): void => {
  if (typeof value !== "function") throw new InvalidOptionError(option, value, "give a function");
};

/** A name that stands in indexes and messages: a string, not empty, no NUL, well-formed, not too long. */
export const assertName: (
  value: unknown,
  option: string,
  lengthMax?: number,
) => asserts value is string = (value, option, lengthMax = limits.nameLengthMax) => {
  if (typeof value !== "string" || value === "") {
    throw new InvalidOptionError(option, value, "give a string that is not empty");
  }
  if (value.length > lengthMax) {
    throw new LimitExceededError({
      field: option,
      limit: lengthMax,
      actual: value.length,
      unit: "characters",
      remedy: "give a shorter one, such as a hash of it",
    });
  }
  if (value.includes("\0") || hasLoneSurrogate(value)) {
    throw new InvalidOptionError(option, value, "leave out NUL and unpaired surrogates");
  }
};

// Stores keep text as UTF-8, in which an unpaired surrogate cannot be written.
const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);
