// Payloads cross the contract as JSON text. A value that JSON would silently change or drop is refused here, before
// anything is written, so that every store returns the same value. Exceptions:
// - A Date is read back as its ISO string.
// - An undefined property is left out.
// - An undefined element of an array, and an undefined payload, are read back as null.
// - The number -0 is read back as 0.
import { limits } from "../defaults.ts";
import { BrokenPayloadError, LimitExceededError, NotJsonError } from "../errors.ts";
import type { JsonText } from "./state-job.ts";

/** Whose payload it is, for the error. */
export interface PayloadOwner {
  readonly typeName: string;
  readonly part: "input" | "output";
}

/** Deeper than any sensible payload, shallower than the stack. */
const depthMax = 500;

/** Checks a payload and serialises it. `bytesMax`: in UTF-8. */
export const toJsonText = (value: unknown, owner: PayloadOwner, bytesMax: number): JsonText => {
  const problem = findProblem(value, "$", [], 0);
  if (problem !== null) {
    throw new NotJsonError(owner.typeName, owner.part, problem.path, problem.what);
  }
  const text = JSON.stringify(value) ?? "null";
  // UTF-8 has at most three bytes for a unit of UTF-16: most payloads need no count.
  if (text.length * 3 > bytesMax) assertBytes(text, owner, bytesMax);
  return text;
};

const assertBytes = (text: JsonText, { typeName, part }: PayloadOwner, bytesMax: number): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return;
  throw new LimitExceededError({
    field: part,
    typeName,
    limit: bytesMax,
    actual: bytes,
    unit: "bytes",
    remedy:
      "store large data elsewhere and give the job a reference, or raise the option `payloadBytesMax` of " +
      `createQueuert, to at most ${limits.payloadBytesMax}`,
  });
};

/** The stored text of a job's payload as the value users see. */
export const fromJsonText = (text: JsonText, jobId: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's own message quotes the payload.
    void error;
    throw new BrokenPayloadError(jobId);
  }
};

interface Problem {
  readonly path: string;
  readonly what: string;
}

const findProblem = (
  value: unknown,
  path: string,
  ancestors: object[],
  depth: number,
): Problem | null => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return null;
    case "number":
      return Number.isFinite(value) ? null : { path, what: `the number ${value}` };
    case "object":
      return value === null ? null : findObjectProblem(value, path, ancestors, depth);
    default:
      return { path, what: `a ${typeof value}` };
  }
};

const findObjectProblem = (
  value: object,
  path: string,
  ancestors: object[],
  depth: number,
): Problem | null => {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? { path, what: "an invalid Date" } : null;
  }
  if (depth >= depthMax) return { path: "$", what: `more than ${depthMax} levels` };
  if (ancestors.includes(value)) return { path, what: "a cycle" };
  ancestors.push(value);
  const problem = Array.isArray(value)
    ? findElementProblem(value, path, ancestors, depth)
    : findPropertyProblem(value, path, ancestors, depth);
  ancestors.pop();
  return problem;
};

const findElementProblem = (
  value: readonly unknown[],
  path: string,
  ancestors: object[],
  depth: number,
): Problem | null => {
  for (let index = 0; index < value.length; index++) {
    const element = value[index];
    // Scalars, the usual case, without building their path.
    if (typeof element === "string" || typeof element === "boolean") continue;
    const problem = findProblem(element, `${path}[${index}]`, ancestors, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
};

const findPropertyProblem = (
  value: object,
  path: string,
  ancestors: object[],
  depth: number,
): Problem | null => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !isPlain(prototype)) {
    const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
    return { path, what: `an instance of ${String(constructor?.name ?? "a class")}` };
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return { path, what: "an object with a `toJSON` method" };
  }
  for (const key of Object.keys(value)) {
    const property = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof property === "string" || typeof property === "boolean") continue;
    const problem = findProblem(property, joinPath(path, key), ancestors, depth + 1);
    if (problem !== null) return problem;
  }
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return null;
  return symbols.some((key) => Object.prototype.propertyIsEnumerable.call(value, key))
    ? { path, what: "a property named by a symbol" }
    : null;
};

/** A plain object of another realm, such as a test runner's sandbox, has that realm's Object.prototype. */
const isPlain = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Object.getPrototypeOf(prototype) === null &&
  Object.hasOwn(prototype, "isPrototypeOf");

const joinPath = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
