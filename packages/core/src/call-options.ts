// Users spread the context of a transaction into the options of a call. Each method names its options. A key of a context
// is recognised by its name, and every other key is refused. An ignored filter would list the jobs of all customers.
import { type ContextKeys, libraryKeys } from "./adapters/context-keys.ts";
import { InvalidOptionError } from "./errors.ts";
import { unknownOptionError } from "./model/assert-known-options.ts";

/** The options of one call, apart from its context. */
export interface CallOptions {
  readonly own: Readonly<Record<string, unknown>>;
  /** Undefined if the call was given no context. */
  readonly context: object | undefined;
}

/** Splits what a method was given. `names`: the options of the method. */
export const readCallOptions = (
  contextKeys: ContextKeys,
  given: unknown,
  names: readonly string[],
): CallOptions => {
  if (typeof given !== "object" || given === null) {
    throw new InvalidOptionError("options", given, "give an object");
  }
  const own: Record<string, unknown> = {};
  let context: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(given)) {
    if (names.includes(key)) own[key] = value;
    else if (value === undefined || libraryKeys.has(key)) continue;
    else if (contextKeys.includes(key, value, names)) (context ??= {})[key] = value;
    else throw unknownOptionError(key, value, [...names, ...contextKeys.known()]);
  }
  return { own, context };
};
