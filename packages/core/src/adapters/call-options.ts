// Users spread the context of a transaction into the options of a call. Each method names its options. A key of a context
// is recognised by its name, and every other key is refused. An ignored filter would list the jobs of all customers.
import { InvalidOptionError } from "../errors.ts";
import { nearNames, unknownOptionError } from "../model/assert-known-options.ts";
import type { StateAdapterCapabilities } from "./state-adapter.ts";

/** The options of one call, apart from its context. */
export interface CallOptions {
  readonly own: Readonly<Record<string, unknown>>;
  /** Undefined if the call was given no context. */
  readonly context: object | undefined;
}

/** Splits the argument of a method. `names`: the options of the method. */
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

/**
 * The keys of a state adapter's contexts, such as `client`. Ready-made providers declare them. For another provider, core
 * learns the keys from the first transaction that it runs. A start in a transaction of the user's own may come first. Until
 * then an object is accepted as context, unless its name is close to an option.
 */
export interface ContextKeys {
  /** Whether a key that is not among the options `names` of a method belongs to a context. */
  includes(key: string, value: unknown, names: readonly string[]): boolean;
  /** The keys so far. */
  known(): readonly string[];
  /** A context that the adapter's own `runInTransaction` gave. */
  learn(context: object): void;
}

/** The library adds these to the contexts that it gives to callbacks: users spread them with the rest. */
const libraryKeys: ReadonlySet<string> = new Set(["continueWith", "job"]);

export const createContextKeys = ({
  contextKeys,
}: Pick<StateAdapterCapabilities, "contextKeys">): ContextKeys => {
  if (contextKeys !== undefined) {
    return {
      includes: (key) => contextKeys.includes(key),
      known: () => contextKeys,
      learn: () => undefined,
    };
  }
  const learned = new Set<string>();
  return {
    includes: (key, value, names) =>
      learned.size > 0 ? learned.has(key) : isObject(value) && nearNames(key, names).length === 0,
    known: () => [...learned],
    learn: (context) => {
      for (const key of Object.keys(context)) learned.add(key);
    },
  };
};

const isObject = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";
