// A transaction of the store's provider, opened by us: what is written in it is told as soon as it has committed.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { ProcessMisuseError } from "../errors.ts";
import type { CommitScope } from "./commit-scope.ts";
import type { NestingWatch } from "./nesting-watch.ts";
import type { OpenTransaction, OpenTransactions } from "./open-transactions.ts";

interface Parts {
  readonly state: Pick<AnyStateAdapter, "runInTransaction">;
  readonly scope: Pick<CommitScope, "create">;
  readonly transactions: OpenTransactions;
  readonly nesting: NestingWatch;
}

/** Runs the user's callback; resolves after the commit. */
export const runTransaction = async <T>(
  { state, scope, transactions, nesting }: Parts,
  callback: (context: object) => Promise<T>,
): Promise<T> => {
  // With one writer, a transaction inside another waits for itself.
  if (nesting.isInside()) {
    throw new ProcessMisuseError(
      "A transaction was opened inside another, and this store has one writer: " +
        "use the context that the outer one was given",
    );
  }
  const effects = scope.create();
  let transaction: OpenTransaction | null = null;
  try {
    const result = await state.runInTransaction(async (context) => {
      const opened = transactions.open(context, effects);
      transaction = opened;
      try {
        return await nesting.run(async () => callback(context));
      } finally {
        // Of several calls made at once the first that fails ends the callback; the others are still under way.
        const left = opened.leave();
        if (left !== null) await left;
      }
    });
    effects.flush();
    return result;
  } catch (error) {
    effects.discard();
    throw error;
  } finally {
    if (transaction !== null) transactions.forget(transaction);
  }
};
