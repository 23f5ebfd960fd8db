// One call of a method of the client, as `facade.ts` begins it. Users spread the context of a transaction into the options of a
// call. Each method names its options. A key of a context is recognised by its name, and every other key is refused. An ignored
// filter would list the jobs of all customers.
import type {
  ContextKeys,
  OpenTransaction,
  OpenTransactions,
} from "./after-commit/open-transactions.ts";
import { loadOnce } from "./async/load-once.ts";
import { InvalidOptionError } from "./errors.ts";
import type * as LateCalls from "./late-calls.ts";
import { unknownOptionError } from "./model/assert-known-options.ts";

/** The options of one call, apart from its context. */
interface CallOptions {
  readonly own: Readonly<Record<string, unknown>>;
  /** Undefined if the call was given no context. */
  readonly context: object | undefined;
}

/** The options of a call, and the transaction of its context if `transaction` or a handler opened that. */
interface Call extends CallOptions {
  readonly transaction: OpenTransaction | undefined;
}

/** Begins a call of a method with these option names. */
export type Begin = (operation: string, given: unknown, names: readonly string[]) => Call;

interface Parts {
  readonly contextKeys: ContextKeys;
  readonly transactions: Pick<OpenTransactions, "find">;
}

/** `assertOpen`: refuses calls of a client that is closed. */
export const createBegin =
  ({ contextKeys, transactions }: Parts, assertOpen: (operation: string) => void): Begin =>
  (operation, given, names) => {
    assertOpen(operation);
    const { own, context } = readCallOptions(contextKeys, given, names);
    const transaction = context === undefined ? undefined : transactions.find(context);
    transaction?.assertOpen(operation);
    return { own, context, transaction };
  };

/** Keeps the transaction of a call open until the call has settled. */
export const track = <T>({ transaction }: Call, pending: Promise<T>): Promise<T> =>
  transaction === undefined ? pending : transaction.track(pending);

export const loadLateCalls: () => Promise<typeof LateCalls> = loadOnce(
  () => import("./late-calls.ts"),
);

/** The same for a call whose code is loaded late. Calls of one transaction keep their order among themselves. */
export const callLate = <T>(call: Call, run: (late: typeof LateCalls) => Promise<T>): Promise<T> =>
  track(call, loadLateCalls().then(run));

/** Splits the argument of a method. `names`: the options of the method. */
const readCallOptions = (
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

/** The library adds these to the contexts that it gives to callbacks: users spread them with the rest. */
const libraryKeys: ReadonlySet<string> = new Set(["continueWith", "job"]);
