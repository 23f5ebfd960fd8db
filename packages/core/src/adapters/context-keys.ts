// The keys of a state adapter's contexts, such as `client`. Ready-made providers declare them. For another provider, core
// learns the keys from the first transaction that it runs. Until then an object is accepted as context, unless its name is
// close to an option: a start in a transaction of the user's own may come first.
import type { StateAdapterCapabilities } from "./state-adapter.ts";
import { nearNames } from "../model/near-names.ts";

export interface ContextKeys {
  /** Whether a key that is not among the options `names` of a method belongs to a context. */
  includes(key: string, value: unknown, names: readonly string[]): boolean;
  /** The keys so far. */
  known(): readonly string[];
  /** A context that the adapter's own `runInTransaction` gave. */
  learn(context: object): void;
}

/** The library adds these to the contexts that it gives to callbacks: users spread them with the rest. */
export const libraryKeys: ReadonlySet<string> = new Set(["continueWith", "job"]);

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
