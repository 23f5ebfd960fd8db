// Transactions that stay open until a test says so: the barrier between the statements of two of them.
import type { AnyStateAdapter, BaseStateAdapterContext } from "../adapters/state-adapter.ts";
import { createStateSteps } from "./steps.ts";
import type { StateSteps } from "./steps.ts";
import { deferred, sleep, within } from "./waiting.ts";

export type TransactionEnd = "commit" | "rollback";

/** A transaction whose operation has been started, and that ends when told to. */
export interface HeldTransaction<T> {
  /** Resolves when the operation is done; the transaction is still open then. Never rejects. */
  readonly operated: Promise<void>;
  /** Resolves when the store has refused the operation twice because of another transaction, which it seems to wait for. */
  readonly conflicted: Promise<void>;
  /** Commits or rolls back, as soon as the operation is done. Safe to call twice: the first counts. */
  readonly end: (how: TransactionEnd) => void;
  /**
   * Resolves after the commit with the result of the operation, after a rollback with undefined.
   */
  readonly done: Promise<T | undefined>;
}

/** The operations in a transaction; the adapter is the one whose transaction it is. */
export type TransactionOperation<T> = (
  steps: StateSteps,
  context: BaseStateAdapterContext,
  adapter: AnyStateAdapter,
) => Promise<T>;

export interface HoldOptions {
  /** Which errors mean that the store asks for the transaction to be run again. */
  readonly isTransactionConflict: (error: unknown) => boolean;
}

const rolledBack = new Error("rolled back on purpose");
const conflictRetryMs = 10;
const conflictRetriesMax = 500;

/** Runs an operation in a transaction and keeps it open. A conflict runs both again, as a user would. */
export const holdTransaction = <T>(
  adapter: AnyStateAdapter,
  operation: TransactionOperation<T>,
  { isTransactionConflict }: HoldOptions,
): HeldTransaction<T> => {
  const operated = deferred<void>();
  const conflicted = deferred<void>();
  const ending = deferred<TransactionEnd>();

  const attempt = (): Promise<T> =>
    adapter.runInTransaction(async (context) => {
      const result = await operation(createStateSteps(adapter, context), context, adapter);
      operated.resolve();
      if ((await ending.promise) === "rollback") throw rolledBack;
      return result;
    });
  const run = async (): Promise<T | undefined> => {
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (error === rolledBack) return undefined;
        if (!isTransactionConflict(error) || retries >= conflictRetriesMax) throw error;
        if (retries > 0) conflicted.resolve();
        await sleep(conflictRetryMs);
      }
    }
  };
  const done = run();
  // The awaiter of `done` sees the error; a race reads `operated` first.
  done.then(
    () => operated.resolve(),
    () => operated.resolve(),
  );
  return { operated: operated.promise, conflicted: conflicted.promise, end: ending.resolve, done };
};

/** An open transaction with nothing done in it yet. */
export interface OpenTransaction {
  readonly context: BaseStateAdapterContext;
  readonly steps: StateSteps;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly held: HeldTransaction<void>;
}

/** Opens a transaction; waits for it, so on a store with one writer no other may be open. */
export const openTransaction = async (adapter: AnyStateAdapter): Promise<OpenTransaction> => {
  const opened = deferred<BaseStateAdapterContext>();
  const never = { isTransactionConflict: () => false };
  const held = holdTransaction(
    adapter,
    (_steps, context) => {
      opened.resolve(context);
      return Promise.resolve();
    },
    never,
  );
  held.done.catch(opened.reject);
  const context = await within(opened.promise, "a transaction to open");
  const endWith = async (how: TransactionEnd): Promise<void> => {
    held.end(how);
    await within(held.done, `the ${how}`);
  };
  return {
    context,
    steps: createStateSteps(adapter, context),
    commit: () => endWith("commit"),
    rollback: () => endWith("rollback"),
    held,
  };
};
