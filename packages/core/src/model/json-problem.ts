// The values that JSON would silently change or drop, with their paths.

/** Deeper than any sensible payload, shallower than the stack. */
export const depthMax = 500;

interface Problem {
  readonly path: string;
  readonly what: string;
}

/** The first value that JSON cannot carry; null for none. */
export const findJsonProblem = (value: unknown): Problem | null => findProblem(value, "$", [], 0);

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
  if (!isPlainObject(value)) {
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

/** Neither an instance of a class nor an array. */
export const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignPlain(prototype);
};

/** A plain object of another realm, such as a test runner's sandbox, has that realm's Object.prototype. */
const isForeignPlain = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Object.getPrototypeOf(prototype) === null &&
  Object.hasOwn(prototype, "isPrototypeOf");

export const joinPath = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
