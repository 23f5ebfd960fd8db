// The transactions of ours that are open, found again by what users spread into their calls: a client, a session. So a
// call knows where its effects go, and a transaction which calls are under way in it, without any async context.
import type { ContextKeys } from "../adapters/context-keys.ts";
import { CallsWithin } from "./calls-within.ts";
import type { Effects } from "./effects.ts";

type Context = Readonly<Record<string, unknown>>;

/** One transaction, from its beginning until it has been committed or rolled back. */
export class OpenTransaction extends CallsWithin {
  readonly context: Context;
  /** What it is found by: kept, so that it is forgotten by the same, whatever the user does to the context meanwhile. */
  readonly parts: readonly object[];
  /** What was done in it, told when it has committed. */
  readonly effects: Effects;

  constructor(context: object, effects: Effects) {
    super();
    this.context = context as Context;
    this.parts = partsOf(context);
    this.effects = effects;
  }
}

export interface OpenTransactions {
  open(context: object, effects: Effects): OpenTransaction;
  /** It has been committed or rolled back. */
  forget(transaction: OpenTransaction): void;
  /** The one that this context, or a part of it, stands for. */
  find(context: object): OpenTransaction | undefined;
}

export const createOpenTransactions = (
  contextKeys: Pick<ContextKeys, "learn">,
): OpenTransactions => {
  // Several where they share something, such as a client that has a session for each.
  const byPart = new Map<unknown, Set<OpenTransaction>>();

  return {
    open: (context, effects) => {
      contextKeys.learn(context);
      const transaction = new OpenTransaction(context, effects);
      for (const part of transaction.parts) {
        const sharing = byPart.get(part);
        if (sharing === undefined) byPart.set(part, new Set([transaction]));
        else sharing.add(transaction);
      }
      return transaction;
    },
    forget: (transaction) => {
      for (const part of transaction.parts) {
        const sharing = byPart.get(part);
        if (sharing?.delete(transaction) === true && sharing.size === 0) byPart.delete(part);
      }
    },
    find: (context) => {
      if (byPart.size === 0) return undefined;
      let fewest: ReadonlySet<OpenTransaction> | undefined;
      for (const part of partsOf(context)) {
        const sharing = byPart.get(part);
        if (sharing !== undefined && sharing.size < (fewest?.size ?? Infinity)) fewest = sharing;
      }
      return fewest === undefined ? undefined : onlyMatch(fewest, context as Context);
    },
  };
};

/** Only objects stand for a transaction: a name or a number may be anybody's. */
const partsOf = (context: object): readonly object[] =>
  Object.values(context).filter(
    (part): part is object =>
      (typeof part === "object" && part !== null) || typeof part === "function",
  );

/**
 * A pooled client may be in the next transaction before the last one's end is known: one that is still open goes before.
 * What could be several is none of them.
 */
const onlyMatch = (
  transactions: ReadonlySet<OpenTransaction>,
  context: Context,
): OpenTransaction | undefined => {
  const matching = [...transactions].filter((one) => contradictsNothing(one.context, context));
  const open = matching.filter(({ isEnding }) => !isEnding);
  const candidates = open.length > 0 ? open : matching;
  return candidates.length === 1 ? candidates[0] : undefined;
};

const contradictsNothing = (own: Context, given: Context): boolean =>
  Object.keys(own).every((key) => given[key] === undefined || given[key] === own[key]);
